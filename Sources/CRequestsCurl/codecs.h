// Types of the libraries that decode content encodings. They come into the process with libcurl and are looked up by
// name, so their headers need not be installed. The layouts are part of their binary interfaces and never changed.
#ifndef CREQUESTSCURL_CODECS_H
#define CREQUESTSCURL_CODECS_H

#include <stddef.h>

// zlib's z_stream.
struct crc_inflate_stream {
    const unsigned char *next_in;
    unsigned int available_in;
    unsigned long total_in;
    unsigned char *next_out;
    unsigned int available_out;
    unsigned long total_out;
    const char *message;
    void *state;
    void *allocate;
    void *release;
    void *context;
    int data_type;
    unsigned long checksum;
    unsigned long reserved;
};

// zstd's ZSTD_inBuffer and ZSTD_outBuffer.
struct crc_zstd_buffer {
    void *bytes;
    size_t size;
    size_t position;
};

#endif
