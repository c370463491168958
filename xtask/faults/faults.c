/* Preloaded into the program under test: one call of the system fails, as it may on any machine on a bad day.
 *
 * FAULT is CALL:ERRNO:NTH:TIMES. From the NTH call on, TIMES calls of this kind fail with ERRNO; each process counts for itself.
 * CALL is write, read, open, fsync, rename or fork. FAULT_PATH is what the path of a file must contain to count.
 * Only processes of fairtrial itself are meant: what a trial's own programs meet is theirs. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static int is_meant(const char *path) {
    const char *wanted = getenv("FAULT_PATH");
    return !wanted || (path && strstr(path, wanted));
}

/* Whether this call of a kind fails now; sets errno. */
static int fails(const char *call, const char *path) {
    static atomic_int calls;
    char kind[16];
    int number, nth, times;
    const char *fault = getenv("FAULT");
    if (!fault || sscanf(fault, "%15[a-z]:%d:%d:%d", kind, &number, &nth, &times) != 4) return 0;
    if (strcmp(kind, call) || strcmp(program_invocation_short_name, "fairtrial") || !is_meant(path)) return 0;
    int count = atomic_fetch_add(&calls, 1) + 1;
    if (count < nth || count >= nth + times) return 0;
    errno = number;
    return 1;
}

static int file_fails(const char *call, int file) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return fails(call, path);
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t write(int file, const void *bytes, size_t size) {
    static ssize_t (*real)(int, const void *, size_t);
    if (!real) real = REAL(write);
    return file_fails("write", file) ? -1 : real(file, bytes, size);
}

ssize_t writev(int file, const struct iovec *parts, int count) {
    static ssize_t (*real)(int, const struct iovec *, int);
    if (!real) real = REAL(writev);
    return file_fails("write", file) ? -1 : real(file, parts, count);
}

ssize_t read(int file, void *bytes, size_t size) {
    static ssize_t (*real)(int, void *, size_t);
    if (!real) real = REAL(read);
    return file_fails("read", file) ? -1 : real(file, bytes, size);
}

int fsync(int file) {
    return file_fails("fsync", file) ? -1 : REAL(fsync)(file);
}

int fdatasync(int file) {
    return file_fails("fsync", file) ? -1 : REAL(fdatasync)(file);
}

int rename(const char *from, const char *to) {
    return fails("rename", to) ? -1 : REAL(rename)(from, to);
}

int link(const char *from, const char *to) {
    return fails("rename", to) ? -1 : REAL(link)(from, to);
}

#define MODE(flags) \
    mode_t mode = 0; \
    if ((flags) & (O_CREAT | O_TMPFILE)) { \
        va_list rest; \
        va_start(rest, flags); \
        mode = va_arg(rest, mode_t); \
        va_end(rest); \
    }

int open(const char *path, int flags, ...) {
    MODE(flags)
    return fails("open", path) ? -1 : REAL(open)(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
    MODE(flags)
    return fails("open", path) ? -1 : REAL(open64)(path, flags, mode);
}

int openat(int folder, const char *path, int flags, ...) {
    MODE(flags)
    return fails("open", path) ? -1 : REAL(openat)(folder, path, flags, mode);
}

pid_t fork(void) {
    return fails("fork", getenv("FAULT_PATH")) ? -1 : REAL(fork)();
}

int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                const posix_spawnattr_t *attributes, char *const argv[], char *const envp[]) {
    if (fails("fork", getenv("FAULT_PATH"))) return errno;
    return REAL(posix_spawn)(pid, path, actions, attributes, argv, envp);
}

int posix_spawnp(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                 const posix_spawnattr_t *attributes, char *const argv[], char *const envp[]) {
    if (fails("fork", getenv("FAULT_PATH"))) return errno;
    return REAL(posix_spawnp)(pid, path, actions, attributes, argv, envp);
}
