// Wrappers for reading information about a transfer and about libcurl, one for each type, because Swift can't call
// functions with variable arguments.
#ifndef CREQUESTSCURL_INFORMATION_H
#define CREQUESTSCURL_INFORMATION_H

#include <curl/curl.h>

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

static inline CURLcode crc_get_tls(CURL *easy, struct curl_tlssessioninfo **value) {
    return curl_easy_getinfo(easy, CURLINFO_TLS_SSL_PTR, value);
}

static inline const curl_version_info_data *crc_version_info(void) {
    return curl_version_info(CURLVERSION_NOW);
}

// The result of a message is a member of a union, which Swift doesn't import under its name.
static inline CURLcode crc_message_result(const CURLMsg *message) {
    return message->data.result;
}

#endif
