#pragma once
#include <stddef.h>

/* The libraries are looked up by name, so their headers need not be installed. The layouts are part of their stable
   binary interfaces. */

/* zlib's z_stream. */
struct zlib_stream {
    const unsigned char *next_in;
    unsigned int avail_in;
    unsigned long total_in;
    unsigned char *next_out;
    unsigned int avail_out;
    unsigned long total_out;
    const char *message;
    void *state;
    void *allocate;
    void *free;
    void *opaque;
    int data_type;
    unsigned long checksum;
    unsigned long reserved;
};

/* zstd's ZSTD_inBuffer and ZSTD_outBuffer. */
struct zstd_buffer {
    void *bytes;
    size_t size;
    size_t position;
};
