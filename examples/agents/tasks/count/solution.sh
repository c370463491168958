printf 'grep -c . "$1"\n' > count.sh
