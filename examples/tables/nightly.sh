#!/bin/sh
# Runs the suite and puts the results on a branch, for cron:
#
#   30 2 * * *  cd /path/to/checkout && examples/tables/nightly.sh
#
# Rows whose experiment failed stay as they are; the exit code is then 1, after everything else was done.
set -eu
suite=${SUITE:-examples/tables/suite.toml}
table=${TABLE:-examples/tables/benchmarks/objects.csv}
name=${NAME:-objects}
branch=results/$(date -u +%Y-%m-%d)

failed=0
fairtrial run "$suite" || failed=$?
[ "$failed" -le 1 ] || exit "$failed" # wrong input or a broken machine: there is nothing to write

fairtrial table compare "$table" --from "$name" --md comparison.md >/dev/null
fairtrial table update "$table" --from "$name" || failed=$?
if git diff --quiet -- "$table"; then
    echo "no change in $table"
    exit "$failed"
fi
git switch -c "$branch"
git add "$table" "$table.origins.json"
git commit -F - <<EOF
results of $(date -u +%Y-%m-%d)

$(cat comparison.md)
EOF
[ -z "${PUSH:-}" ] || git push -u origin "$branch"
exit "$failed"
