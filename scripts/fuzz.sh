#!/usr/bin/env bash
# Runs every fuzz target of the given module folders for FUZZTIME each, one after the
# other: go test takes one target at a time. A finding is written to testdata/fuzz of its
# package; commit it with the fix.
#
# Usage: FUZZTIME=10m scripts/fuzz.sh MODULE_FOLDER...
set -euo pipefail
cd "$(dirname "$0")/.."

readonly fuzztime=${FUZZTIME:-10m}
count=0
for module in "$@"; do
  packages=$(go -C "$module" list -f '{{.ImportPath}} {{.Dir}}' ./...)
  while read -r package dir; do
    targets=$(grep -hoE '^func Fuzz[A-Za-z0-9_]+' "$dir"/*_test.go 2>/dev/null | sed 's/^func //' || true)
    for target in $targets; do
      echo "fuzz: $package $target for $fuzztime"
      go -C "$module" test -run '^$' -fuzz "^$target\$" -fuzztime "$fuzztime" -fuzzminimizetime 20x "$package" </dev/null
      count=$((count + 1))
    done
  done <<<"$packages"
done

if ((count == 0)); then
  echo "fuzz: no fuzz target found in: $*" >&2
  exit 1
fi
echo "fuzz: $count targets, nothing found"
