#!/usr/bin/env bash
# Regenerates everything and fails with the difference when a file changed, appeared or
# went. It compares the tree before with the tree after, so it works with uncommitted
# work as well; in CI, where the tree is a fresh checkout, it compares with the commit.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! git rev-parse --is-inside-work-tree >/dev/null; then
  echo "check-generated: needs a git checkout to compare with" >&2
  exit 1
fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/objects"

# git with an index and an object store of its own: the checkout's stay as they are.
scratch_git() {
  GIT_INDEX_FILE="$scratch/index" \
    GIT_OBJECT_DIRECTORY="$scratch/objects" \
    GIT_ALTERNATE_OBJECT_DIRECTORIES="$(git rev-parse --path-format=absolute --git-path objects)" \
    git "$@"
}

snapshot() {
  # Chained, since -e does not hold inside a command substitution.
  scratch_git add --all . && scratch_git write-tree
}

before=$(snapshot)
"${MAKE:-make}" --no-print-directory generate
after=$(snapshot)

if [[ $before != "$after" ]]; then
  scratch_git --no-pager diff --stat "$before" "$after"
  scratch_git --no-pager diff "$before" "$after"
  echo >&2
  echo "check-generated: the files above are stale. They have just been regenerated in place: commit them." >&2
  exit 1
fi
echo "check-generated: everything generated is up to date"
