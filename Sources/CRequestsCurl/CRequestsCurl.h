// The parts of libcurl and the system that Swift needs, with types that don't depend on the versions of their headers.
//
// Swift uses libcurl's functions and its enumerators (CURLOPT_, CURLINFO_, CURLE_, CURLM_) directly, because their
// types are the same in every version. Each macro is a constant here, because many changed from an enumerator to an int
// or a long between libcurl 7.81 and 8.23.
#ifndef CREQUESTSCURL_H
#define CREQUESTSCURL_H

#if !__has_include(<curl/curl.h>)
#error "libcurl's headers are missing: install libcurl4-openssl-dev, libcurl-devel or curl-dev"
#endif
#include <curl/curl.h>

#include "constants.h"
#include "information.h"
#include "options.h"
#include "sockets.h"
#include "system.h"

#endif
