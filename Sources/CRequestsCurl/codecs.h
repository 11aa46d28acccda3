// The libraries that decode content encodings.
#ifndef CREQUESTSCURL_CODECS_H
#define CREQUESTSCURL_CODECS_H

#include <stddef.h>
#include <zlib.h>

// Prepares a stream for the gzip or the zlib format (RFC 1950). inflateInit2 is a macro, which Swift can't call.
static inline int crc_inflate_init(z_stream *stream, int window) {
    return inflateInit2(stream, window);
}

// Brotli and zstd are optional. libcurl loads them, and their functions are looked up by name, so their headers need
// not be installed. The layouts are part of their stable binary interfaces.

// zstd's ZSTD_inBuffer and ZSTD_outBuffer.
struct crc_zstd_buffer {
    void *bytes;
    size_t size;
    size_t position;
};

#endif
