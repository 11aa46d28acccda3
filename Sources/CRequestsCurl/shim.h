// Swift cannot call functions with variable arguments: one wrapper for each type that libcurl's options take.
#ifndef CREQUESTSCURL_SHIM_H
#define CREQUESTSCURL_SHIM_H

#include <curl/curl.h>

#ifdef __linux__
#include <sys/epoll.h>
#include <sys/eventfd.h>
#endif

typedef size_t (*crc_bytes_function)(char *bytes, size_t size, size_t count, void *context);
typedef int (*crc_seek_function)(void *context, curl_off_t offset, int origin);
typedef int (*crc_prerequest_function)(void *context, char *to, char *from, int to_port, int from_port);
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

static inline CURLcode crc_set_prerequest_function(CURL *easy, crc_prerequest_function value) {
    return curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, value);
}

static inline CURLcode crc_get_long(CURL *easy, CURLINFO info, long *value) {
    return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode crc_get_offset(CURL *easy, CURLINFO info, curl_off_t *value) {
    return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode crc_get_string(CURL *easy, CURLINFO info, char **value) {
    return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode crc_get_private(CURL *easy, void **value) {
    return curl_easy_getinfo(easy, CURLINFO_PRIVATE, (char **)value);
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

static inline const curl_version_info_data *crc_version_info(void) {
    return curl_version_info(CURLVERSION_NOW);
}

// The result of a message is a member of a union, which Swift does not import by its name.
static inline CURLcode crc_message_result(const CURLMsg *message) {
    return message->data.result;
}

#endif
