// Wrappers for setting options, one for each type of value, because Swift can't call functions with variable arguments.
#ifndef CREQUESTSCURL_OPTIONS_H
#define CREQUESTSCURL_OPTIONS_H

#include <curl/curl.h>

typedef size_t (*crc_bytes_function)(char *bytes, size_t size, size_t count, void *context);
typedef int (*crc_seek_function)(void *context, curl_off_t offset, int origin);
typedef int (*crc_trailer_function)(struct curl_slist **list, void *context);
typedef int (*crc_prerequest_function)(void *context, char *to, char *from, int to_port, int from_port);
typedef int (*crc_resolver_function)(void *resolver, void *reserved, void *context);
typedef curl_socket_t (*crc_open_socket_function)(void *context, curlsocktype purpose, struct curl_sockaddr *address);
typedef int (*crc_close_socket_function)(void *context, curl_socket_t socket);
typedef int (*crc_debug_function)(CURL *easy, curl_infotype kind, char *bytes, size_t count, void *context);
typedef CURLcode (*crc_tls_context_function)(CURL *easy, void *tls_context, void *context);
typedef int (*crc_socket_function)(CURL *easy, curl_socket_t socket, int what, void *context, void *socket_context);
typedef int (*crc_timer_function)(CURLM *multi, long milliseconds, void *context);

static inline CURLcode crc_set_long(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode crc_set_offset(CURL *easy, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode crc_set_string(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode crc_set_pointer(CURL *easy, CURLoption option, void *value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode crc_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode crc_set_blob(CURL *easy, CURLoption option, struct curl_blob *value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode crc_set_bytes_function(CURL *easy, CURLoption option, crc_bytes_function value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode crc_set_seek_function(CURL *easy, crc_seek_function value) {
    return curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, value);
}

static inline CURLcode crc_set_trailer_function(CURL *easy, crc_trailer_function value) {
    return curl_easy_setopt(easy, CURLOPT_TRAILERFUNCTION, value);
}

static inline CURLcode crc_set_prerequest_function(CURL *easy, crc_prerequest_function value) {
    return curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, value);
}

static inline CURLcode crc_set_resolver_function(CURL *easy, crc_resolver_function value) {
    return curl_easy_setopt(easy, CURLOPT_RESOLVER_START_FUNCTION, value);
}

static inline CURLcode crc_set_open_socket_function(CURL *easy, crc_open_socket_function value) {
    return curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, value);
}

static inline CURLcode crc_set_debug_function(CURL *easy, crc_debug_function value) {
    return curl_easy_setopt(easy, CURLOPT_DEBUGFUNCTION, value);
}

static inline CURLcode crc_set_tls_context_function(CURL *easy, crc_tls_context_function value) {
    return curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, value);
}

static inline CURLcode crc_set_close_socket_function(CURL *easy, crc_close_socket_function value) {
    return curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, value);
}

static inline CURLMcode crc_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

static inline CURLMcode crc_multi_set_functions(CURLM *multi, crc_socket_function socket, crc_timer_function timer,
                                                void *context) {
    CURLMcode code = curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, socket);
    if (!code) code = curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, context);
    if (!code) code = curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, timer);
    if (!code) code = curl_multi_setopt(multi, CURLMOPT_TIMERDATA, context);
    return code;
}

// Returns one of eight values of CURLOPT_SSL_OPTIONS that mean something only for Schannel.
static inline long crc_tls_tag(long number) {
    return (number & 1 ? CURLSSLOPT_NO_REVOKE : 0) | (number & 2 ? CURLSSLOPT_REVOKE_BEST_EFFORT : 0)
        | (number & 4 ? CURLSSLOPT_AUTO_CLIENT_CERT : 0);
}

#endif
