#include "memory.h"
#include <stdlib.h>

#ifdef __GLIBC__
#include <malloc.h>

size_t memory_allocated(void) {
    struct mallinfo2 arenas = mallinfo2();
    return arenas.uordblks + arenas.hblkhd;
}

void memory_trim(void) { malloc_trim(0); }
#else
size_t memory_allocated(void) { return 0; }

void memory_trim(void) {}
#endif
