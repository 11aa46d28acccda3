#pragma once
#include "structures.h"

/* zlib's functions, for systems that link it. Their parameters are: a compression level, the method, the size of the
   window, the memory level, the strategy, the version of the caller, and the size of the structure. */

int deflateInit2_(struct zlib_stream *, int, int, int, int, int, const char *, int);
int deflate(struct zlib_stream *, int);
int deflateEnd(struct zlib_stream *);
int inflateInit2_(struct zlib_stream *, int, const char *, int);
int inflate(struct zlib_stream *, int);
int inflateEnd(struct zlib_stream *);
