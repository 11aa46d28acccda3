// Prints the address of each function that is entered, as an offset into the program. The compiler calls the guard at
// the start of every function (-sanitize-coverage=func,trace-pc-guard).

#define _GNU_SOURCE
#include "entries.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>

static atomic_int is_listing;

void entries_start(void) { is_listing = 1; }

void entries_stop(void) { is_listing = 0; }

void __sanitizer_cov_trace_pc_guard_init(uint32_t *start, uint32_t *stop) {
    for (; start < stop; start++) *start = 1;
}

void __sanitizer_cov_trace_pc_guard(uint32_t *guard) {
    if (!is_listing || !*guard) return;
    char *address = __builtin_return_address(0);
    Dl_info program;
    if (dladdr(address, &program)) printf("0x%tx\n", address - (char *)program.dli_fbase - 1);
}
