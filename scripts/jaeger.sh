#!/usr/bin/env bash
# Gets Jaeger, from which the long e2e tests read traces back: the variable JAEGER, an earlier build
# in .cache/bin, or the Go module that tests/backends/jaeger pins. Adds its path to
# .cache/backends.env. The first build takes ten minutes on two cores.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly cache=$PWD/.cache
readonly package=github.com/jaegertracing/jaeger/cmd/jaeger
mkdir -p "$cache/bin"

jaeger=${JAEGER:-}
if [[ -z $jaeger ]]; then
  jaeger=$cache/bin/jaeger
  # A build is of the pinned version if it is younger than the pin.
  if [[ ! $jaeger -nt tests/backends/jaeger/go.mod ]]; then
    CGO_ENABLED=0 GOFLAGS=-buildvcs=false scripts/progress.sh "building Jaeger" \
      go -C tests/backends/jaeger build -trimpath -ldflags "-s -w" -o "$jaeger.tmp" "$package"
    mv "$jaeger.tmp" "$jaeger"
  fi
fi
if [[ ! -x $jaeger ]]; then
  echo "backends: $jaeger does not run; set JAEGER to one that does" >&2
  exit 1
fi
readonly env_file=$cache/backends.env
touch "$env_file"
{
  grep -v '^JAEGER=' "$env_file" || true
  printf 'JAEGER=%q\n' "$jaeger"
} >"$env_file.tmp"
mv "$env_file.tmp" "$env_file"
