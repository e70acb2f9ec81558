#!/usr/bin/env bash
# Runs a command and says every 15 seconds on stderr that it is still at work.
# Silent while the command is quick, and in CI, where a log shows the time anyway.
#
# Usage: scripts/progress.sh LABEL COMMAND [ARGUMENT...]
set -euo pipefail

if (($# < 2)); then
  echo "usage: $0 LABEL COMMAND [ARGUMENT...]" >&2
  exit 2
fi
label=$1
shift

# Ends by itself within a second after the process that it watches.
tick() {
  local seconds=0
  while sleep 1 && kill -0 "$1" 2>/dev/null; do
    seconds=$((seconds + 1))
    if ((seconds % 15 == 0)); then
      echo "$label: ${seconds} s ..." >&2
    fi
  done
}

if [[ -z ${CI:-} ]]; then
  tick $$ >/dev/null </dev/null &
fi

# The command takes this script's place: output, exit status and signals are its own.
exec "$@"
