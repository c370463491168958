#!/bin/sh
# A scheduler of plain shell, to prove the template engine: every element is a process, its folder is the queue.
#   scheduler.sh submit KEY SCRIPT COUNT | find KEY | poll HANDLE... | cancel HANDLE      (SCHEDULER_DIR: its folder)
# Every command line is kept in `calls`; a file `fail-VERB` makes that command fail, `slow-VERB` makes it wait.
set -eu
dir=${SCHEDULER_DIR:?folder}
verb=${1:?verb}
shift
echo "$verb $*" >>"$dir/calls"
while [ -e "$dir/slow-$verb" ]; do sleep 0.1; done
[ ! -e "$dir/fail-$verb" ] || { echo "failed $verb" >>"$dir/calls"; echo "the scheduler is down" >&2; exit 1; }
case $verb in
submit)
    key=$1 script=$2 count=$3
    number=1
    until mkdir "$dir/$number" 2>/dev/null; do number=$((number + 1)); done
    echo "$key" >"$dir/$number/key"
    # As schedulers do, it keeps the script, and starts it where SCHEDULER_NODE says.
    cp "$script" "$dir/$number/script" && chmod +x "$dir/$number/script" && script=$dir/$number/script
    element=0
    while [ $element -lt "$count" ]; do
        # Element and exit code are kept, as a scheduler's accounting would.
        setsid sh -c 'echo $$ >"$1/$2.pid"; ${SCHEDULER_NODE:-} "$3" "$2"; echo $? >"$1/$2.end"' element "$dir/$number" $element "$script" </dev/null >/dev/null 2>&1 &
        element=$((element + 1))
    done
    echo "job $number is queued"
    ;;
find) for folder in "$dir"/*/; do [ "$(cat "$folder/key")" != "$1" ] || echo "job $(basename "$folder") is queued"; done ;;
poll)
    for handle in "$@"; do
        for file in "$dir/$handle"/*.pid; do
            element=$(basename "$file" .pid)
            if [ -f "$dir/$handle/$element.end" ]; then
                [ "$(cat "$dir/$handle/$element.end")" = 0 ] && state=D || state=E
            elif kill -0 "$(cat "$file")" 2>/dev/null; then state=R; else state=E; fi
            echo "$handle $element $state"
        done
    done
    ;;
cancel) for file in "$dir/$1"/*.pid; do kill -- "-$(cat "$file")" 2>/dev/null || true; done ;;
esac
