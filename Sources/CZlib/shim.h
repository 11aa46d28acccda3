#include <zlib.h>

/* The macros deflateInit2 and inflateInit2 aren't visible to Swift. */

static inline int deflate_init(z_streamp stream, int level, int window_bits) {
    return deflateInit2(stream, level, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY);
}

static inline int inflate_init(z_streamp stream, int window_bits) {
    return inflateInit2(stream, window_bits);
}
