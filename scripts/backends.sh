#!/usr/bin/env bash
# Finds or gets the real back-ends that the e2e tests run against, and writes their paths
# to .cache/backends.env. Prometheus and promtool come from, in this order: the variables
# PROMETHEUS and PROMTOOL, $PATH, an earlier build in .cache/bin, the Debian package
# (only as root), Go modules built into .cache/bin. It also gets the npm packages of the
# TypeScript example, and Node and npm as Debian packages (only as root).
set -euo pipefail
cd "$(dirname "$0")/.."

readonly prometheus_version=v0.316.0
readonly cache=$PWD/.cache
readonly env_file=$cache/backends.env
mkdir -p "$cache/bin"

say() { echo "backends: $*"; }

# A Debian package starts its service when it is installed. Nothing shall run here, so a
# policy that forbids it stands while apt works, unless the machine has one of its own.
apt_install() {
  local policy=/usr/sbin/policy-rc.d status=0
  local made=
  if [[ ! -e $policy ]]; then
    printf '#!/bin/sh\nexit 101\n' >"$policy"
    chmod 755 "$policy"
    made=yes
    # shellcheck disable=SC2064 # the path of now
    trap "rm -f '$policy'" EXIT
  fi
  {
    apt-get update -qq </dev/null &&
      DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" </dev/null
  } >"$cache/apt.log" 2>&1 || status=$?
  if [[ -n $made ]]; then
    rm -f "$policy"
    trap - EXIT
  fi
  if ((status != 0)); then
    tail -n 5 "$cache/apt.log" >&2
  fi
  return "$status"
}

build_from_modules() {
  say "building Prometheus $prometheus_version from its Go module into .cache/bin (some minutes, once)"
  # Without remove_all_sd it would carry the SDKs of all clouds.
  CGO_ENABLED=0 GOBIN=$cache/bin GOFLAGS=-buildvcs=false scripts/progress.sh "building Prometheus" \
    go install -trimpath -ldflags "-s -w" -tags remove_all_sd \
    "github.com/prometheus/prometheus/cmd/prometheus@$prometheus_version" \
    "github.com/prometheus/prometheus/cmd/promtool@$prometheus_version"
}

use() {
  prometheus=$1
  promtool=$2
}

prometheus=
promtool=
find_prometheus() {
  if [[ -n ${PROMETHEUS:-} && -n ${PROMTOOL:-} ]]; then
    use "$PROMETHEUS" "$PROMTOOL"
  elif command -v prometheus >/dev/null && command -v promtool >/dev/null; then
    use "$(command -v prometheus)" "$(command -v promtool)"
  elif [[ -x $cache/bin/prometheus && -x $cache/bin/promtool ]]; then
    use "$cache/bin/prometheus" "$cache/bin/promtool"
  else
    return 1
  fi
}

if ! find_prometheus; then
  if ((EUID == 0)) && command -v apt-get >/dev/null; then
    say "installing the Debian package prometheus (its service is not started)"
    apt_install prometheus || say "the package could not be installed"
  fi
  if ! find_prometheus; then
    build_from_modules
    find_prometheus
  fi
fi

# Old Prometheus prints its version to stderr, new to stdout.
if ! version=$("$prometheus" --version 2>&1) || ! "$promtool" --version >/dev/null 2>&1; then
  say "$prometheus or $promtool does not run; set PROMETHEUS and PROMTOOL to ones that do" >&2
  exit 1
fi
printf 'PROMETHEUS=%q\nPROMTOOL=%q\n' "$prometheus" "$promtool" >"$env_file.tmp"
mv "$env_file.tmp" "$env_file"
say "$prometheus: ${version%%$'\n'*}"

readonly example=docs/instrument/typescript
if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
  if ((EUID != 0)) || ! command -v apt-get >/dev/null; then
    say "node and npm are missing: install Node 18.19 or later for $example" >&2
    exit 1
  fi
  say "installing the Debian packages nodejs and npm"
  apt_install nodejs npm
fi
# .package-lock.json is what npm writes last.
if [[ ! $example/node_modules/.package-lock.json -nt $example/package-lock.json ]]; then
  say "getting the npm packages of $example"
  npm --prefix "$example" ci --no-audit --no-fund --loglevel=error </dev/null
fi
