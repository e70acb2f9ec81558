#!/usr/bin/env bash
# Puts the dashboards into a Grafana that runs already, by its API. Again: they are replaced.
#
#   GRAFANA_URL=http://127.0.0.1:3000 GRAFANA_TOKEN=glsa_... distribution/grafana/install.sh
#
#   GRAFANA_TOKEN   of a service account with the role Editor; or GRAFANA_USER=name:password
#   GRAFANA_FOLDER  UID of an existing folder; none: Grafana's own first folder
set -euo pipefail

readonly url=${GRAFANA_URL:-http://127.0.0.1:3000}
auth=()
if [[ -n ${GRAFANA_TOKEN:-} ]]; then
  auth=(-H "Authorization: Bearer $GRAFANA_TOKEN")
elif [[ -n ${GRAFANA_USER:-} ]]; then
  auth=(-u "$GRAFANA_USER")
fi

cd "$(dirname "$0")/dashboards"
for file in *.json; do
  if ! { printf '{"overwrite":true,"folderUid":"%s","dashboard":' "${GRAFANA_FOLDER:-}" && cat "$file" && printf '}'; } |
    curl --silent --show-error --fail-with-body --max-time 30 "${auth[@]}" -H 'Content-Type: application/json' \
      --data-binary @- "${url%/}/api/dashboards/db" >/dev/null; then
    echo "install: $file was not taken by $url" >&2
    exit 1
  fi
  echo "install: $url/d/${file%.json}"
done
