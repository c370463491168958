# Runs the benchmark of one of the two checkouts: `sh side.sh base` or `sh side.sh head`.
case "$1" in
    base) cd "${BASE_DIR:?names the checkout of the base}" ;;
    head) cd "${HEAD_DIR:?names the checkout of the change}" ;;
esac
exec sh work.sh
