#!/bin/sh
# node.sh SCRIPT ELEMENT: runs a job as a machine does that shares no disk with the controller: its project is not there,
# nor its home and its variables. NODE_VARS are the names of those that the site gives to jobs.
set -eu
given=""
for name in ${NODE_VARS:-}; do eval "value=\${$name:-}"; given="$given $name=$value"; done
[ "$(id -u)" = 0 ] && map="" || map="-r"
exec unshare $map -m sh -c '
    mount -t tmpfs hidden "$1" && cd / && shift
    exec env -i PATH="$PATH" HOME=/nonexistent "$@"
' node "$HIDDEN" LEDGER="$LEDGER" $given "$@"
