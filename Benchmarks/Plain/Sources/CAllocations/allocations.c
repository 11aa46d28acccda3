#include "allocations.h"
#include <stdlib.h>

static _Thread_local unsigned long count;

unsigned long allocations_of_thread(void) { return count; }

#ifdef __GLIBC__
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

void *malloc(size_t size) {
    count++;
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    count++;
    return __libc_calloc(number, size);
}

void *realloc(void *pointer, size_t size) {
    count++;
    return __libc_realloc(pointer, size);
}

int posix_memalign(void **pointer, size_t alignment, size_t size) {
    count++;
    *pointer = __libc_memalign(alignment, size);
    return *pointer ? 0 : 12;
}
#endif
