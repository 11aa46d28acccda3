#if !__has_include(<zlib.h>)
#error "zlib's headers are missing: install zlib1g-dev, zlib-devel or zlib-dev"
#endif
#include <zlib.h>

/* The macros deflateInit2 and inflateInit2 aren't visible to Swift. */

static inline int deflate_init(z_streamp stream, int level, int window_bits) {
    return deflateInit2(stream, level, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY);
}

static inline int inflate_init(z_streamp stream, int window_bits) {
    return inflateInit2(stream, window_bits);
}

/* Brotli and zstd are optional. libcurl loads them, and their functions are looked up by name, so their headers need
   not be installed. The layouts are part of their stable binary interfaces. */

/* zstd's ZSTD_inBuffer and ZSTD_outBuffer. */
struct zstd_buffer {
    void *bytes;
    size_t size;
    size_t position;
};
