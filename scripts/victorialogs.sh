#!/usr/bin/env bash
# Gets VictoriaLogs, which takes what is pushed to a Loki, for the long e2e tests: the variable
# VICTORIA_LOGS, an earlier build in .cache/bin, or the Go module that tests/backends pins.
# Adds its path to .cache/backends.env.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly cache=$PWD/.cache
readonly package=github.com/VictoriaMetrics/VictoriaLogs/app/victoria-logs
mkdir -p "$cache/bin"

victoria_logs=${VICTORIA_LOGS:-}
if [[ -z $victoria_logs ]]; then
  victoria_logs=$cache/bin/victoria-logs
  # A build is of the pinned version if it is younger than the pin.
  if [[ ! $victoria_logs -nt tests/backends/go.mod ]]; then
    CGO_ENABLED=0 GOFLAGS=-buildvcs=false scripts/progress.sh "building VictoriaLogs" \
      go -C tests/backends build -trimpath -ldflags "-s -w" -o "$victoria_logs.tmp" "$package"
    mv "$victoria_logs.tmp" "$victoria_logs"
  fi
fi
if [[ ! -x $victoria_logs ]]; then
  echo "backends: $victoria_logs does not run; set VICTORIA_LOGS to one that does" >&2
  exit 1
fi
readonly env_file=$cache/backends.env
touch "$env_file"
{
  grep -v '^VICTORIA_LOGS=' "$env_file" || true
  printf 'VICTORIA_LOGS=%q\n' "$victoria_logs"
} >"$env_file.tmp"
mv "$env_file.tmp" "$env_file"
