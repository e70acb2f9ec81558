#!/usr/bin/env bash
# Starts the collector with distribution/config/standalone.yaml, sends it simulated
# traffic, prints the phase table (and the GPUs, if there are any) from its own page, and
# stays up until Ctrl-C.
#
#   DEMO=0       the collector alone, in the foreground, with standalone.yaml as it is
#   DEMO_EXIT=1  stop after the table, for use without a terminal
#   DEMO_RATE, DEMO_DURATION   the traffic: 4 requests per second, 15s in each style
set -euo pipefail
cd "$(dirname "$0")/.."

readonly collector=bin/otelcol-inference
readonly inferctl=bin/inferctl
readonly config=distribution/config/standalone.yaml
readonly overlay=distribution/config/demo.yaml
# Those of standalone.yaml.
readonly health_port=13133
readonly page=http://127.0.0.1:9464/metrics
readonly ports=(4317 4318 9464 "$health_port" 55679 8888)
readonly rate=${DEMO_RATE:-4}
readonly duration=${DEMO_DURATION:-15s}

say() { echo "run: $*"; }
fail() {
  echo "run: $*" >&2
  exit 1
}

listens() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

# Names the process that listens on a port, where /proc tells.
owner_of() {
  local hex inode fd pid
  printf -v hex '%04X' "$1"
  inode=$(awk -v port=":$hex\$" '$2 ~ port && $4 == "0A" { print $10; exit }' \
    /proc/net/tcp /proc/net/tcp6 2>/dev/null || true)
  if [[ -n $inode ]]; then
    for fd in /proc/[0-9]*/fd/*; do
      if [[ $(readlink "$fd" 2>/dev/null || true) == "socket:[$inode]" ]]; then
        pid=${fd#/proc/}
        pid=${pid%%/*}
        echo "$(tr '\0\n' '  ' <"/proc/$pid/cmdline" 2>/dev/null || true)(pid $pid)"
        return
      fi
    done
  fi
  echo "a process that this user cannot see"
}

check_ports() {
  local port taken=
  for port in "${ports[@]}"; do
    if listens "$port"; then
      echo "run: port $port on 127.0.0.1 is already in use by $(owner_of "$port")" >&2
      taken=yes
    fi
  done
  if [[ -n $taken ]]; then
    fail "stop what uses it, or change the address in $config"
  fi
}

healthy() {
  (
    exec 3<>"/dev/tcp/127.0.0.1/$health_port"
    printf 'GET / HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n' >&3
    read -r -t 2 status <&3
    [[ $status == *" 200"* ]]
  ) 2>/dev/null
}

collector_pid=
simulate_pid=
scratch=
ready=

collector_runs() { [[ -n $collector_pid ]] && kill -0 "$collector_pid" 2>/dev/null; }

# The one way out: whatever was started is stopped and waited for, the collector last.
# shellcheck disable=SC2317 # called by trap
cleanup() {
  local status=$?
  trap - EXIT
  trap '' INT TERM HUP
  # Before the collector stops, so that the end of its log is about what went wrong; not
  # after a signal, which is no failure.
  if ((status != 0 && status < 128)) && [[ -s $scratch/collector.log ]]; then
    echo "run: the end of the collector's log:" >&2
    tail -n 25 "$scratch/collector.log" >&2
  fi
  if [[ -n $simulate_pid ]]; then
    # Asked nicely it would play its open requests to their end first.
    kill -KILL "$simulate_pid" 2>/dev/null || true
    wait "$simulate_pid" 2>/dev/null || true
  fi
  if [[ -n $collector_pid ]]; then
    kill "$collector_pid" 2>/dev/null || true
    if ! wait "$collector_pid" && ((status == 0)); then
      echo "run: the collector did not stop cleanly" >&2
      status=1
    fi
  fi
  if [[ -n $scratch ]]; then
    rm -rf "$scratch"
  fi
  exit "$status"
}

# Ctrl-C is the normal end once the table was shown; before that it is a broken-off demo.
# shellcheck disable=SC2317 # called by trap
interrupted() {
  echo
  if [[ -n $ready ]]; then
    say "stopping"
    exit 0
  fi
  exit "$1"
}

start_collector() {
  "$collector" --config "$config" --config "$overlay" >"$scratch/collector.log" 2>&1 &
  collector_pid=$!
  local deadline=$((SECONDS + 30))
  until healthy; do
    collector_runs || fail "the collector ended while it started"
    ((SECONDS < deadline)) || fail "the collector is not healthy after 30 s"
    sleep 0.2
  done
}

# In the background and waited for, so that a signal is handled at once.
simulate() {
  "$inferctl" simulate "$@" >"$scratch/simulate.log" 2>&1 &
  simulate_pid=$!
  local status=0
  wait "$simulate_pid" || status=$?
  simulate_pid=
  if ((status != 0)); then
    tail -n 25 "$scratch/simulate.log" >&2
    fail "inferctl simulate failed (exit status $status)"
  fi
}

# Every request is on the page after linger, one flush and the hold of a first point (five
# seconds with the overlay). It is complete when it then stays the same.
wait_for_flush() {
  local before='' now deadline=$((SECONDS + 30))
  # Short naps: bash looks at a signal only between two commands.
  for _ in {1..10}; do sleep 0.5; done
  while ((SECONDS < deadline)); do
    sleep 2
    collector_runs || fail "the collector ended"
    now=$("$inferctl" phases --url "$page" 2>"$scratch/phases.log" || true)
    if [[ -n $now && $now == "$before" ]]; then
      return
    fi
    before=$now
  done
  cat "$scratch/phases.log" >&2
  fail "the numbers on $page did not settle within 30 s"
}

show_where_to_look() {
  cat <<EOF

  the numbers     $page
  the pipelines   http://127.0.0.1:55679/debug/servicez
  the collector   http://127.0.0.1:8888/metrics (its own metrics)
  configuration   $config, with the short waits of $overlay

  alerts          $inferctl install --prometheus FILE --alertmanager FILE (docs/alerts.md)

Send your own traces: point an engine's or an SDK's OTLP exporter here, with one of
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=http://127.0.0.1:4317            (gRPC)
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=http://127.0.0.1:4318/v1/traces  (HTTP)
Dashboards, once a Prometheus scrapes both pages and a Grafana asks it (docs/dashboards.md):
  GRAFANA_TOKEN=... $inferctl install --dashboards --grafana http://127.0.0.1:3000
Traffic with a fault in it, from another terminal; --over shows that time alone:
  $inferctl simulate --rate 4 --duration 20s --fault slow-preprocess &
  $inferctl phases --over 35s
EOF
}

for binary in "$collector" "$inferctl"; do
  [[ -x $binary ]] || fail "$binary is missing: make build"
done
check_ports

if [[ ${DEMO:-1} == 0 ]]; then
  say "OTLP on 127.0.0.1:4317 and 4318, metrics on $page, Ctrl-C stops it"
  exec "$collector" --config "$config"
fi

trap cleanup EXIT
trap 'interrupted 130' INT
trap 'interrupted 143' TERM
trap 'interrupted 129' HUP
scratch=$(mktemp -d)

start_collector
for style in stages vllm; do
  say "sending $rate requests per second for $duration, spans written in $style style ..."
  simulate --rate "$rate" --duration "$duration" --style "$style" --endpoint 127.0.0.1:4317
done
say "traffic sent; waiting for the last requests to close ..."
wait_for_flush

echo
"$inferctl" phases --url "$page"
gpus=$("$inferctl" gpus --url "$page" 2>"$scratch/gpus.log")
if [[ -n $gpus ]]; then
  printf '\n%s\n' "$gpus"
fi
show_where_to_look
ready=yes

if [[ ${DEMO_EXIT:-0} == 1 ]]; then
  exit 0
fi
echo
say "Ctrl-C stops it"
status=0
wait "$collector_pid" || status=$?
collector_pid=
fail "the collector ended by itself (exit status $status)"
