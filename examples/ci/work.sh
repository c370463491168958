# Stands for the benchmark of your repository, at the top of a checkout of it: some work that takes a while.
i=0
while [ $i -lt 20000 ]; do i=$((i + 1)); done
