# Runs the benchmark in one of the two checkouts: `sh side.sh base` or `sh side.sh head`.
work=$PWD/work.sh
case "$1" in
    base) cd "${BASE_DIR:?names the checkout of the base}" || exit ;;
    head) cd "${HEAD_DIR:?names the checkout of the change}" || exit ;;
esac
exec sh "$work"
