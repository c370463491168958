#!/bin/bash
# A worker of Fairtrial in shell: what docs/reference/worker-protocol.md says, as short as it can be.
# A shell cannot read the clock that the protocol asks for (CLOCK_MONOTONIC): `date` reads the wall clock, which may be set
# while the work runs. Python reads it here, and its start of some 20 ms is in every time.
now() { python3 -c 'import time; print(time.monotonic_ns())'; }
exec 3<&0 4>&0 </dev/null # the socket, for reading and writing; standard input is empty from here on
while read -r request <&3; do
    case "$request" in
    *'"op":"describe"'*)
        echo '{"event":"described","protocol":1,"experiments":[{"slug":"hello","summary":"Counts its iterations.","params":{"properties":{"word":{"type":"string","default":"hello"}}}}]}' >&4
        ;;
    *'"op":"setup"'*) echo '{"event":"ready","params":{"word":"hello"}}' >&4 ;;
    *'"op":"iterate"'*)
        count=${request##*\"count\":} && count=${count%%[^0-9]*}
        for ((i = 0; i < count; i++)); do
            start=$(now)
            end=$(now)
            echo "{\"event\":\"sample\",\"index\":$i,\"start_ns\":$start,\"wall_ns\":$((end - start)),\"metrics\":{\"count\":$((i + 1))}}" >&4
        done
        echo '{"event":"done"}' >&4
        ;;
    *'"op":"teardown"'*) echo '{"event":"done"}' >&4 ;;
    esac
done
