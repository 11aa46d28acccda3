#pragma once

#include <stddef.h>

/// The bytes that were allocated and not freed yet, as glibc counts them; 0 with other C libraries.
size_t memory_allocated(void);

/// Returns memory that the C library keeps for later to the system.
void memory_trim(void);
