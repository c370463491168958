/*
 * The floor under any launcher: the least that starting a program and recording it can cost on this machine.
 *
 *   floor records N WORKERS FOLDER   vfork, exec, wait4, one JSON line per trial
 *   floor folders N WORKERS FOLDER   the same, and a directory with two log files per trial
 *
 * Workers are processes; each takes every WORKERS-th trial and appends to the one journal with one write per record.
 * Nothing is flushed to disk, nothing is killed, nothing is limited: Fairtrial does all of that and is compared with
 * this. Prints the seconds that the whole took.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *PROGRAM = "/bin/true";

static double seconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void fail(const char *what) {
    fprintf(stderr, "floor: %s: %s\n", what, strerror(errno));
    exit(1);
}

static int open_new(const char *dir, const char *name) {
    char path[PATH_MAX + 16];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (file < 0) fail(path);
    return file;
}

/* Starts the program with these files as its output and waits for its end. */
static void run_one(int out, int err, struct rusage *used, int *status) {
    char *const arguments[] = {(char *)PROGRAM, NULL};
    pid_t child = vfork();
    if (child < 0) fail("vfork");
    if (child == 0) {
        if (out >= 0) dup2(out, 1);
        if (err >= 0) dup2(err, 2);
        execv(PROGRAM, arguments);
        _exit(127);
    }
    if (wait4(child, status, 0, used) < 0) fail("wait4");
}

static void record(int journal, long trial, double wall, const struct rusage *used, int status) {
    char line[512];
    int length = snprintf(line, sizeof line,
        "{\"event\":\"finished\",\"index\":%ld,\"status\":%d,\"wall_s\":%.9f,\"user_s\":%ld.%06ld,\"sys_s\":%ld.%06ld,"
        "\"peak_memory_bytes\":%ld,\"minor_faults\":%ld,\"voluntary_switches\":%ld}\n",
        trial, status, wall, used->ru_utime.tv_sec, used->ru_utime.tv_usec, used->ru_stime.tv_sec,
        used->ru_stime.tv_usec, used->ru_maxrss * 1024, used->ru_minflt, used->ru_nvcsw);
    if (write(journal, line, (size_t)length) != length) fail("write");
}

static void work(const char *folder, int folders, long first, long trials, long step) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/journal.jsonl", folder);
    int journal = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (journal < 0) fail(path);
    for (long trial = first; trial < trials; trial += step) {
        int out = -1, err = -1, status = 0;
        struct rusage used;
        if (folders) {
            snprintf(path, sizeof path, "%s/%ld", folder, trial);
            if (mkdir(path, 0755) != 0) fail(path);
            out = open_new(path, "stdout.log");
            err = open_new(path, "stderr.log");
        }
        double began = seconds(CLOCK_MONOTONIC);
        run_one(out, err, &used, &status);
        record(journal, trial, seconds(CLOCK_MONOTONIC) - began, &used, status);
        if (folders) {
            close(out);
            close(err);
        }
    }
}

int main(int count, char **arguments) {
    if (count != 5) {
        fprintf(stderr, "usage: floor records|folders N WORKERS FOLDER\n");
        return 2;
    }
    int folders = strcmp(arguments[1], "folders") == 0;
    long trials = atol(arguments[2]), workers = atol(arguments[3]);
    double began = seconds(CLOCK_MONOTONIC);
    for (long worker = 0; worker < workers; worker++) {
        pid_t child = fork();
        if (child < 0) fail("fork");
        if (child == 0) {
            work(arguments[4], folders, worker, trials, workers);
            _exit(0);
        }
    }
    for (long worker = 0; worker < workers; worker++) {
        int status;
        if (wait(&status) < 0 || status != 0) fail("a worker");
    }
    printf("%.6f\n", seconds(CLOCK_MONOTONIC) - began);
    return 0;
}
