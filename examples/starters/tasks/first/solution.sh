echo 'grep -c . "$1"' > count.sh
