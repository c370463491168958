/* Preloaded into the controller: once the file named by STEP_FILE is there, the wall clock is an hour behind. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t id, struct timespec *now) {
    static int (*system_clock)(clockid_t, struct timespec *);
    if (!system_clock) {
        system_clock = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    }
    int result = system_clock(id, now);
    const char *file = getenv("STEP_FILE");
    if (result == 0 && id == CLOCK_REALTIME && file && access(file, F_OK) == 0) {
        now->tv_sec -= 3600;
    }
    return result;
}
