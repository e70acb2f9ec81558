#!/usr/bin/env bash
# Gets a back-end for the e2e tests that is built from a Go module, and adds its path to
# .cache/backends.env. The path is that of the variable, where it is set, else that of an earlier
# build in .cache/bin, else of one from the module that pins the version.
#
# Usage: backend.sh victoria-logs | jaeger | alertmanager | prometheus | promtool
set -euo pipefail
cd "$(dirname "$0")/.."

case ${1:-} in
  victoria-logs) # takes what is pushed to a Loki
    readonly variable=VICTORIA_LOGS module=tests/backends
    readonly package=github.com/VictoriaMetrics/VictoriaLogs/app/victoria-logs
    ;;
  jaeger) # ten minutes on two cores
    readonly variable=JAEGER module=tests/backends/jaeger
    readonly package=github.com/jaegertracing/jaeger/cmd/jaeger
    ;;
  alertmanager) # later modules lack the files of its page, and do not build
    readonly variable=ALERTMANAGER module=tests/backends/alertmanager
    readonly package=github.com/prometheus/alertmanager/cmd/alertmanager
    ;;
  prometheus) # 3.x; the one for all other tests is the system's. Five minutes on two cores
    readonly variable=PROMETHEUS3 module=tests/backends/prometheus tags=remove_all_sd
    readonly package=github.com/prometheus/prometheus/cmd/prometheus
    ;;
  promtool) # of the same version
    readonly variable=PROMTOOL3 module=tests/backends/prometheus tags=remove_all_sd
    readonly package=github.com/prometheus/prometheus/cmd/promtool
    ;;
  *)
    echo "usage: backend.sh victoria-logs | jaeger | alertmanager | prometheus | promtool" >&2
    exit 2
    ;;
esac

readonly cache=$PWD/.cache
mkdir -p "$cache/bin"
binary=${!variable:-}
if [[ -z $binary ]]; then
  binary=$cache/bin/$1
  # A build is of the pinned version if it is younger than the pin.
  if [[ ! $binary -nt $module/go.mod ]]; then
    CGO_ENABLED=0 GOFLAGS=-buildvcs=false scripts/progress.sh "building $1" \
      go -C "$module" build -trimpath -tags "${tags:-}" -ldflags "-s -w" -o "$binary.tmp" "$package"
    mv "$binary.tmp" "$binary"
  fi
fi
if [[ ! -x $binary ]]; then
  echo "backends: $binary does not run; set $variable to one that does" >&2
  exit 1
fi
readonly env_file=$cache/backends.env
touch "$env_file"
{
  grep -v "^$variable=" "$env_file" || true
  printf '%s=%q\n' "$variable" "$binary"
} >"$env_file.tmp"
mv "$env_file.tmp" "$env_file"
