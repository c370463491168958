/* Preloaded into the controller: a system that gives few threads (FEW_THREADS), starts few launchers (FEW_LAUNCHERS), and
 * cannot read files of metrics while the file named by EIO_FILE is there, or has no locks on files (NO_LOCKS). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int is_used_up(const char *name, atomic_int *used) {
    const char *limit = getenv(name);
    return limit && atomic_fetch_add(used, 1) >= atoi(limit);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument) {
    static atomic_int used;
    static int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    if (is_used_up("FEW_THREADS", &used)) return EAGAIN;
    if (!real) real = dlsym(RTLD_NEXT, "pthread_create");
    return real(thread, attributes, start, argument);
}

static int spawn(const char *which, pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                 const posix_spawnattr_t *attributes, char *const argv[], char *const envp[]) {
    static atomic_int used;
    int (*real)(pid_t *, const char *, const posix_spawn_file_actions_t *, const posix_spawnattr_t *, char *const[],
                char *const[]) = dlsym(RTLD_NEXT, which);
    int is_launcher = argv[1] && strcmp(argv[1], "__launch") == 0;
    if (is_launcher && is_used_up("FEW_LAUNCHERS", &used)) return EAGAIN;
    return real(pid, path, actions, attributes, argv, envp);
}

int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                const posix_spawnattr_t *attributes, char *const argv[], char *const envp[]) {
    return spawn("posix_spawn", pid, path, actions, attributes, argv, envp);
}

int posix_spawnp(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                 const posix_spawnattr_t *attributes, char *const argv[], char *const envp[]) {
    return spawn("posix_spawnp", pid, path, actions, attributes, argv, envp);
}

/* A file system without locks. */
int flock(int file, int operation) {
    static int (*real)(int, int);
    if (getenv("NO_LOCKS")) {
        errno = ENOLCK;
        return -1;
    }
    if (!real) real = dlsym(RTLD_NEXT, "flock");
    return real(file, operation);
}

ssize_t read(int file, void *buffer, size_t size) {
    static ssize_t (*real)(int, void *, size_t);
    if (!real) real = dlsym(RTLD_NEXT, "read");
    const char *broken = getenv("EIO_FILE");
    if (broken && access(broken, F_OK) == 0) {
        char link[64], path[4096];
        snprintf(link, sizeof link, "/proc/self/fd/%d", file);
        ssize_t length = readlink(link, path, sizeof path - 1);
        if (length > 0) {
            path[length] = 0;
            if (strstr(path, "metrics.jsonl")) {
                errno = EIO;
                return -1;
            }
        }
    }
    return real(file, buffer, size);
}
