#!/bin/sh
# Runs the suite and puts the results on a branch, for cron:
#
#   30 2 * * *  cd /path/to/checkout && git pull -q --ff-only && examples/tables/nightly.sh
#
# The branch is results/DATE, made from what is checked out; a second run on one day makes it anew. However the script
# ends, the checkout is on its own branch again, with its own table. PUSH=1 pushes the results.
#
# Rows whose experiment failed stay as they are; the exit code is then 1, after everything else was done.
set -eu
suite=${SUITE:-examples/tables/suite.toml}
table=${TABLE:-examples/tables/benchmarks/objects.csv}
name=${NAME:-objects}
day=${DAY:-$(date -u +%Y-%m-%d)}
branch=results/$day
origins=$table.origins.json

if [ -n "$(git status --porcelain -- "$table" "$origins")" ]; then
    echo "$table has changes that are not committed" >&2
    exit 2
fi
home=$(git symbolic-ref -q --short HEAD || git rev-parse HEAD)
comparison=$(mktemp)

# What was not committed is taken back, so that the next night begins where this one did.
leave() {
    code=$?
    rm -f "$comparison"
    for file in "$table" "$origins"; do
        git reset -q -- "$file" || true
        if git cat-file -e "HEAD:./$file" 2>/dev/null; then
            git checkout -q -- "$file"
        else
            rm -f "$file"
        fi
    done
    if git show-ref -q --verify "refs/heads/$home"; then
        git switch -q "$home"
    else
        git switch -q --detach "$home"
    fi
    exit "$code"
}
trap leave EXIT
trap 'exit 130' HUP INT TERM

failed=0
fairtrial run "$suite" || failed=$?
[ "$failed" -le 1 ] || exit "$failed" # wrong input or a broken machine: there is nothing to write

fairtrial table compare "$table" --from "$name" --md "$comparison" >/dev/null
fairtrial table update "$table" --from "$name" || failed=$?
if git diff --quiet -- "$table"; then
    echo "no change in $table"
    exit "$failed"
fi
git switch -q --detach # the branch is moved once the commit is made
git add "$table" "$origins"
git commit -q -F - <<END
results of $day

$(cat "$comparison")
END
git branch -q -f "$branch"
echo "the results are on $branch"
# The branch belongs to this script: an earlier one of the same day is replaced.
[ -z "${PUSH:-}" ] || git push -q --force-with-lease -u origin "$branch"
exit "$failed"
