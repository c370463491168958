#!/bin/sh
# Prints the part of CHANGELOG.md that is about a version: `release-notes.sh 0.2.0`.
set -eu
notes=$(awk -v version="${1:?a version}" '
    /^## / { inside = ($2 == version || $2 == "[" version "]"); next }
    inside { print }
' "$(dirname "$0")/../CHANGELOG.md")
[ -n "$notes" ] || { echo "CHANGELOG.md has no section \"## $1\"" >&2; exit 1; }
printf '%s\n' "$notes"
