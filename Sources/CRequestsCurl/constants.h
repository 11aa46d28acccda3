// libcurl's macros as constants whose types are the same in every version.
#ifndef CREQUESTSCURL_CONSTANTS_H
#define CREQUESTSCURL_CONSTANTS_H

#include <curl/curl.h>

// Options and results that are newer than 7.81, by number. Each is used only with a libcurl that knows it.
static const CURLoption crc_option_quick_exit = (CURLoption)(CURLOPTTYPE_LONG + 322);                  // 7.87
static const CURLINFO crc_info_cainfo = (CURLINFO)(CURLINFO_STRING + 61);                              // 7.84
static const CURLINFO crc_info_connection = (CURLINFO)(CURLINFO_OFF_T + 64);                           // 8.2
static const CURLcode crc_error_too_large = (CURLcode)100;                                             // 8.6

// Options that the headers of 7.85 and later mark as deprecated. Every libcurl accepts them.
static const CURLoption crc_option_protocols = (CURLoption)(CURLOPTTYPE_LONG + 181);
static const CURLoption crc_option_redir_protocols = (CURLoption)(CURLOPTTYPE_LONG + 182);

// The values of options.
static const long crc_auth_basic = (long)CURLAUTH_BASIC;
static const long crc_header_separate = CURLHEADER_SEPARATE;
static const long crc_http_version_1_1 = CURL_HTTP_VERSION_1_1;
static const long crc_http_version_2_tls = CURL_HTTP_VERSION_2TLS;
static const long crc_http_version_2_prior_knowledge = CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE;
static const long crc_http_version_3 = 30;       // 7.66
static const long crc_http_version_3_only = 31;  // 7.88
static const long crc_ip_any = CURL_IPRESOLVE_WHATEVER;
static const long crc_ip_v4 = CURL_IPRESOLVE_V4;
static const long crc_ip_v6 = CURL_IPRESOLVE_V6;
static const long crc_netrc_ignored = CURL_NETRC_IGNORED;
static const long crc_protocols_http = (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS);
static const long crc_tls_v1_2 = CURL_SSLVERSION_TLSv1_2;
static const long crc_tls_v1_3 = CURL_SSLVERSION_TLSv1_3;
static const unsigned int crc_blob_copy = CURL_BLOB_COPY;
static const size_t crc_error_size = CURL_ERROR_SIZE;

// The return values of callbacks.
static const size_t crc_read_pause = CURL_READFUNC_PAUSE;
static const size_t crc_read_abort = CURL_READFUNC_ABORT;
static const int crc_seek_ok = CURL_SEEKFUNC_OK;
static const int crc_seek_cannot = CURL_SEEKFUNC_CANTSEEK;
static const int crc_trailers_ok = CURL_TRAILERFUNC_OK;
static const int crc_trailers_abort = CURL_TRAILERFUNC_ABORT;
static const int crc_prerequest_ok = CURL_PREREQFUNC_OK;
static const int crc_prerequest_abort = CURL_PREREQFUNC_ABORT;
static const curl_socket_t crc_socket_bad = CURL_SOCKET_BAD;

// Sockets and pauses.
static const curl_socket_t crc_socket_timeout = CURL_SOCKET_TIMEOUT;
static const int crc_select_in = CURL_CSELECT_IN;
static const int crc_select_out = CURL_CSELECT_OUT;
static const int crc_select_error = CURL_CSELECT_ERR;
static const int crc_poll_in = CURL_POLL_IN;
static const int crc_poll_out = CURL_POLL_OUT;
static const int crc_poll_remove = CURL_POLL_REMOVE;
static const int crc_pause_receiving = CURLPAUSE_RECV;
static const int crc_pause_sending = CURLPAUSE_SEND;

// Global initialization, and the features that a libcurl was built with.
static const long crc_global_default = CURL_GLOBAL_DEFAULT;
static const int crc_feature_http2 = CURL_VERSION_HTTP2;
static const int crc_feature_http3 = CURL_VERSION_HTTP3;
static const int crc_feature_tls = CURL_VERSION_SSL;
static const int crc_feature_https_proxy = CURL_VERSION_HTTPS_PROXY;
static const int crc_feature_unix_sockets = CURL_VERSION_UNIX_SOCKETS;

#endif
