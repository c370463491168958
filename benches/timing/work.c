/* A program of known length for the timing benchmark: `work N` computes for N rounds; `work floor TIMES PROGRAM ARGS...`
   starts a program again and again with nothing around it and prints the median of its wall times in seconds; `work busy`
   computes until its parent is gone. */
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

static double now(void) {
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return at.tv_sec + 1e-9 * at.tv_nsec;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int starts(int times, char **argv) {
    double *took = malloc(times * sizeof *took);
    for (int i = 0; i < times; i++) {
        pid_t pid;
        int status;
        double began = now();
        if (posix_spawnp(&pid, argv[0], NULL, NULL, argv, environ) != 0) return 1;
        waitpid(pid, &status, 0);
        took[i] = now() - began;
        if (status != 0) return 1;
    }
    qsort(took, times, sizeof *took, by_size);
    printf("%.9f\n", took[times / 2]);
    return 0;
}

int main(int argc, char **argv) {
    if (argc > 3 && strcmp(argv[1], "floor") == 0) return starts(atoi(argv[2]), argv + 3);
    if (argc < 2) return 2;
    int busy = strcmp(argv[1], "busy") == 0;
    if (busy) prctl(PR_SET_PDEATHSIG, SIGKILL);
    volatile uint64_t seen;
    uint64_t x = 88172645463325252ULL;
    for (uint64_t left = busy ? UINT64_MAX : strtoull(argv[1], NULL, 10); left > 0; left--) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
    }
    seen = x;
    (void)seen;
    return 0;
}
