// Swift cannot call functions with variable arguments: one wrapper for each type that libcurl's options take.
#ifndef CREQUESTSCURL_SHIM_H
#define CREQUESTSCURL_SHIM_H

#include <curl/curl.h>
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>

#ifdef __linux__
#include <errno.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <unistd.h>
#elif defined(__APPLE__)
#include <pthread.h>
#endif

// The libraries that undo content codings come into the process with libcurl and are looked up by name: what they
// exchange is declared here, as it has been since their first versions.

// zlib's z_stream.
struct crc_inflate_stream {
    const unsigned char *next_in;
    unsigned int available_in;
    unsigned long total_in;
    unsigned char *next_out;
    unsigned int available_out;
    unsigned long total_out;
    const char *message;
    void *state;
    void *allocate;
    void *release;
    void *context;
    int data_type;
    unsigned long checksum;
    unsigned long reserved;
};

// zstd's ZSTD_inBuffer and ZSTD_outBuffer.
struct crc_zstd_buffer {
    void *bytes;
    size_t size;
    size_t position;
};

// What came after libcurl 7.81, the oldest that this compiles with: by number, and used where the version has it.
static const CURLoption crc_option_protocols_str = (CURLoption)(CURLOPTTYPE_STRINGPOINT + 318);        // 7.85
static const CURLoption crc_option_redir_protocols_str = (CURLoption)(CURLOPTTYPE_STRINGPOINT + 319);  // 7.85
static const CURLoption crc_option_quick_exit = (CURLoption)(CURLOPTTYPE_LONG + 322);                  // 7.87
static const CURLINFO crc_info_cainfo = (CURLINFO)(CURLINFO_STRING + 61);                              // 7.84

// A macro that Swift does not read.
static const long crc_auth_basic = (long)CURLAUTH_BASIC;

typedef size_t (*crc_bytes_function)(char *bytes, size_t size, size_t count, void *context);
typedef int (*crc_seek_function)(void *context, curl_off_t offset, int origin);
typedef int (*crc_prerequest_function)(void *context, char *to, char *from, int to_port, int from_port);
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

static inline CURLcode crc_set_prerequest_function(CURL *easy, crc_prerequest_function value) {
    return curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, value);
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

// Gives the calling thread a name that the system shows, of at most 15 bytes.
static inline void crc_name_thread(const char *name) {
#if defined(__linux__)
    prctl(PR_SET_NAME, name, 0, 0, 0);
#elif defined(__APPLE__)
    pthread_setname_np(name);
#endif
}

// A socket that programs started by this process do not inherit, from the start where the system can.
static inline curl_socket_t crc_open_socket(const struct curl_sockaddr *address) {
#ifdef SOCK_CLOEXEC
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
#else
    curl_socket_t descriptor = socket(address->family, address->socktype, address->protocol);
    if (descriptor >= 0) fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    return descriptor;
#endif
}

#ifdef __linux__
// Whether a connection stands, and nothing has come over it that was not read.
static inline int crc_is_silent(int descriptor) {
    char byte;
    return recv(descriptor, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

// Closes a connection and leaves in its place one that was closed by its peer: the descriptor stays its owner's.
static inline void crc_end_connection(int descriptor) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) != 0) {
        shutdown(descriptor, SHUT_RDWR);
        return;
    }
    close(ends[1]);
    dup3(ends[0], descriptor, O_CLOEXEC);
    close(ends[0]);
}

// The port of the end that is here; 0 for a socket that has none.
static inline int crc_local_port(int descriptor) {
    struct sockaddr_storage address;
    socklen_t size = sizeof address;
    if (getsockname(descriptor, (struct sockaddr *)&address, &size) != 0) return 0;
    if (address.ss_family == AF_INET6) return ntohs(((const struct sockaddr_in6 *)&address)->sin6_port);
    return address.ss_family == AF_INET ? ntohs(((const struct sockaddr_in *)&address)->sin_port) : 0;
}
#endif

// Writes the address as text; 0 for one that is not of the Internet. The address can be larger than its type says.
static inline int crc_address_text(const struct curl_sockaddr *address, char *host, socklen_t size, uint16_t *port) {
    const void *socket_address = &address->addr;
    if (address->family == AF_INET6) {
        *port = ntohs(((const struct sockaddr_in6 *)socket_address)->sin6_port);
        return inet_ntop(AF_INET6, &((const struct sockaddr_in6 *)socket_address)->sin6_addr, host, size) != 0;
    }
    if (address->family != AF_INET) return 0;
    *port = ntohs(((const struct sockaddr_in *)socket_address)->sin_port);
    return inet_ntop(AF_INET, &((const struct sockaddr_in *)socket_address)->sin_addr, host, size) != 0;
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

static inline CURLcode crc_get_tls(CURL *easy, struct curl_tlssessioninfo **value) {
    return curl_easy_getinfo(easy, CURLINFO_TLS_SSL_PTR, value);
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
