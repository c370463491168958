# Runs the benchmark on what is checked out and judges it against the last night that was fine. Silent on a good night;
# what went wrong is printed, or handed to the program that NOTIFY names. The exit code is the gate's.
set -eu
cd "$(dirname "$0")"
export HEAD_DIR="${HEAD_DIR:-$(git rev-parse --show-toplevel 2> /dev/null || pwd)}"
export FAIRTRIAL_DATA="${FAIRTRIAL_DATA:-$PWD/data}"
baseline=nightly-baseline.json
rm -f nightly.md

tell() {
    { echo "$1"; for file in nightly.md nightly.log; do [ ! -f $file ] || cat $file; done; } | sh -c "${NOTIFY:-cat}"
}

code=0
fairtrial run nightly.toml > nightly.log 2>&1 || code=$?
if [ "$code" -gt 1 ]; then
    tell "The nightly benchmark could not be run (exit code $code)."
    exit "$code"
fi
fairtrial report nightly --html nightly.html >> nightly.log 2>&1 || tell "The report could not be written."

if [ -f "$baseline" ]; then
    code=0
    fairtrial gate nightly --baseline "$baseline" --md nightly.md >> nightly.log 2>&1 || code=$?
fi
case $code in
    0) fairtrial gate nightly --save-baseline "$baseline" >> nightly.log 2>&1 ;;
    4) code=0 ;; # inconclusive: no alarm, and nothing to judge the next night by
    *) tell "The nightly benchmark needs a look (exit code $code)." ;;
esac
exit "$code"
