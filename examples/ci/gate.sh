# Runs base and head interleaved and judges the head. BASE_DIR and HEAD_DIR name the two checkouts. Leaves summary.md,
# gate.xml, report.html and data/ beside this file; the exit code is the gate's, 0 where it is inconclusive. A
# benchmark that fails on both sides is invalid (3), never inconclusive.
set -eu
BASE_DIR=$(cd "${BASE_DIR:?names the checkout of the base}" && pwd)
HEAD_DIR=$(cd "${HEAD_DIR:?names the checkout of the change}" && pwd)
export BASE_DIR HEAD_DIR
cd "$(dirname "$0")"
export FAIRTRIAL_DATA="${FAIRTRIAL_DATA:-$PWD/data}"
rm -f summary.md gate.xml report.html

code=0
fairtrial run bench.toml || code=$?
# 1: trials failed, which the gate judges. More is a wrong spec or a broken machine: there is nothing to judge.
[ "$code" -le 1 ] || exit "$code"

code=0
fairtrial gate bench --md summary.md --junit gate.xml || code=$?
if [ -n "${GITHUB_STEP_SUMMARY:-}" ] && [ -f summary.md ]; then
    cat summary.md >> "$GITHUB_STEP_SUMMARY"
fi
fairtrial report bench --html report.html > /dev/null || echo "the report could not be written" >&2
if [ "$code" -eq 4 ]; then
    echo "::warning::the benchmark is inconclusive"
    exit 0
fi
exit "$code"
