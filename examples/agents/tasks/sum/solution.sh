cat > sum.sh <<'END'
# Prints the sum of its two arguments.
[ $# = 2 ] || exit 2
echo $(($1 + $2))
END
