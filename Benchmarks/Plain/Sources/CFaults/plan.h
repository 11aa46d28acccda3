// Which call fails.
#pragma once

#include <stdbool.h>

// Counts a call, and says whether it has to fail.
//
// `caller` is an address in the calling function. Calls by other libraries than libcurl don't count.
bool plan_fails(int function, const void *caller);
