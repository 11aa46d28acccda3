// What Swift needs of libcurl and of the system, with types that don't depend on the version of their headers.
//
// Swift names libcurl's functions and its enumerators (CURLOPT_, CURLINFO_, CURLE_, CURLM_), whose types are the same
// in every version. Everything that was or is a macro is a constant here: between libcurl 7.81 and 8.23 many changed
// from an enumerator to an int or a long.
#ifndef CREQUESTSCURL_H
#define CREQUESTSCURL_H

#include <curl/curl.h>

#include "codecs.h"
#include "constants.h"
#include "information.h"
#include "options.h"
#include "sockets.h"
#include "system.h"

#endif
