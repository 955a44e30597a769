/* Makes system calls of one process fail, wait or tell another time, when a test says so.
 *
 * Loaded with LD_PRELOAD. The environment variable COUNTERSIGN_TEST_FAULTS names a file that holds `struct faults`, which the
 * test changes while the process runs. Only files whose path has the text of COUNTERSIGN_TEST_FAULTS_IN are affected. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

struct faults {
    int32_t write_error;   /* the errno of writes, or 0 */
    int32_t sync_error;    /* the errno of fsync and fdatasync, or 0 */
    int32_t one_in;        /* one of this many calls fails or waits */
    int32_t delay_us;      /* the wait before fsync and fdatasync */
    int64_t clock_offset;  /* seconds that the wall clock is ahead */
};

static struct faults *faults;
static const char *affected;
static uint32_t calls;

__attribute__((constructor)) static void map_faults(void) {
    const char *path = getenv("COUNTERSIGN_TEST_FAULTS");
    affected = getenv("COUNTERSIGN_TEST_FAULTS_IN");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    void *mapped = file < 0 ? MAP_FAILED : mmap(NULL, sizeof(struct faults), PROT_READ, MAP_SHARED, file, 0);
    if (mapped != MAP_FAILED) faults = mapped;
    if (file >= 0) close(file);
}

static int is_affected(int file) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0 || !affected) return 0;
    path[length] = 0;
    return strstr(path, affected) != NULL;
}

/* True for one of `one_in` calls. The order of the calls differs between runs, but not the share that fails. */
static int is_chosen(int file) {
    if (faults->one_in < 1 || !is_affected(file)) return 0;
    uint32_t mixed = __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED) * 2654435761u;
    return (mixed >> 16) % (uint32_t)faults->one_in == 0;
}

static int fails(int file, int32_t error) {
    if (!error || !is_chosen(file)) return 0;
    errno = error;
    return 1;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t write(int file, const void *bytes, size_t length) {
    if (faults && fails(file, faults->write_error)) return -1;
    return REAL(write)(file, bytes, length);
}

ssize_t pwrite(int file, const void *bytes, size_t length, off_t at) {
    if (faults && fails(file, faults->write_error)) return -1;
    return REAL(pwrite)(file, bytes, length, at);
}

ssize_t pwrite64(int file, const void *bytes, size_t length, off64_t at) {
    if (faults && fails(file, faults->write_error)) return -1;
    return REAL(pwrite64)(file, bytes, length, at);
}

static void wait_before_sync(int file) {
    if (!faults->delay_us || !is_chosen(file)) return;
    struct timespec wait = {faults->delay_us / 1000000, faults->delay_us % 1000000 * 1000L};
    nanosleep(&wait, NULL);
}

int fsync(int file) {
    if (faults) wait_before_sync(file);
    if (faults && fails(file, faults->sync_error)) return -1;
    return REAL(fsync)(file);
}

int fdatasync(int file) {
    if (faults) wait_before_sync(file);
    if (faults && fails(file, faults->sync_error)) return -1;
    return REAL(fdatasync)(file);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    int result = REAL(clock_gettime)(clock, time);
    if (result == 0 && faults && clock == CLOCK_REALTIME) time->tv_sec += faults->clock_offset;
    return result;
}
