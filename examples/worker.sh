#!/bin/bash
# A worker of Fairtrial in shell: what docs/reference/worker-protocol.md says, as short as it can be.
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
            start=$(date +%s%N)
            end=$(date +%s%N)
            echo "{\"event\":\"sample\",\"index\":$i,\"start_ns\":$start,\"wall_ns\":$((end - start)),\"metrics\":{\"count\":$((i + 1))}}" >&4
        done
        echo '{"event":"done"}' >&4
        ;;
    *'"op":"teardown"'*) echo '{"event":"done"}' >&4 ;;
    esac
done
