// The memory of libcurl.
#define _GNU_SOURCE
#include "faults.h"
#include "plan.h"
#include <curl/curl.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static atomic_long blocks;

long faults_blocks(void) {
    return atomic_load(&blocks);
}

static char *spared[4];
static int spared_count;

void faults_spare(const char *library) {
    if (spared_count < 4) spared[spared_count++] = strdup(library);
}

static bool is_in_spared_library(void *address) {
    Dl_info object;
    if (!dladdr(address, &object)) return false;
    for (int index = 0; index < spared_count; index++) {
        if (strstr(object.dli_fname, spared[index])) return true;
    }
    return false;
}

// Whether a spared library calls libcurl.
static bool is_spared(void) {
    if (spared_count == 0) return false;
    void *frames[16];
    int count = backtrace(frames, sizeof frames / sizeof *frames);
    for (int index = 0; index < count; index++) {
        if (is_in_spared_library(frames[index])) return true;
    }
    return false;
}

// Only libcurl calls the functions below.
static bool fails(void) {
    if (is_spared() || !plan_fails(0, (const void *)faults_blocks)) return false;
    errno = ENOMEM;
    return true;
}

static void *counted(void *block) {
    if (block) atomic_fetch_add(&blocks, 1);
    return block;
}

static void *allocate(size_t size) {
    return fails() ? 0 : counted(malloc(size));
}

static void *allocate_cleared(size_t number, size_t size) {
    return fails() ? 0 : counted(calloc(number, size));
}

static char *duplicate(const char *text) {
    return fails() ? 0 : counted(strdup(text));
}

static void *reallocate(void *block, size_t size) {
    if (fails()) return 0;
    void *larger = realloc(block, size);
    return block ? larger : counted(larger);
}

static void release(void *block) {
    if (block) atomic_fetch_sub(&blocks, 1);
    free(block);
}

bool faults_initialize(void) {
    return curl_global_init_mem(CURL_GLOBAL_DEFAULT, allocate, release, reallocate, duplicate, allocate_cleared) ==
           CURLE_OK;
}
