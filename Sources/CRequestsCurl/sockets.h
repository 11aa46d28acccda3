// Functions for the sockets that the transport opens for libcurl.
#ifndef CREQUESTSCURL_SOCKETS_H
#define CREQUESTSCURL_SOCKETS_H

#include <arpa/inet.h>
#include <curl/curl.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

// Opens a socket that child processes don't inherit. Atomic if the system supports it.
static inline curl_socket_t crc_open_socket(const struct curl_sockaddr *address) {
#ifdef SOCK_CLOEXEC
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
#else
    curl_socket_t descriptor = socket(address->family, address->socktype, address->protocol);
    if (descriptor >= 0) fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    return descriptor;
#endif
}

// Lets connections to different destinations share a local port.
static inline void crc_share_local_port(int descriptor) {
    int on = 1;
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    // Closing resets the connection, which frees its port for another connection to the same server at once.
    struct linger linger = {.l_onoff = 1, .l_linger = 0};
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, sizeof linger);
}

static inline void crc_close_descriptor(int descriptor) {
    close(descriptor);
}

static inline int crc_is_datagram_socket(int descriptor) {
    int type = 0;
    socklen_t size = sizeof type;
    return getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_DGRAM;
}

// Closes a TCP connection but keeps its descriptor open. Its owner then sees a connection that the peer has closed.
static inline void crc_end_connection(int descriptor) {
    int ends[2];
    if (crc_is_datagram_socket(descriptor)) return;
#ifdef __linux__
    // Atomic, so that a child process that starts at the same time can't inherit an end.
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) != 0) {
        shutdown(descriptor, SHUT_RDWR);
        return;
    }
    close(ends[1]);
    if (dup3(ends[0], descriptor, O_CLOEXEC) < 0) shutdown(descriptor, SHUT_RDWR);
#else
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) {
        shutdown(descriptor, SHUT_RDWR);
        return;
    }
    close(ends[1]);
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
#ifdef SO_NOSIGPIPE
    int on = 1;
    setsockopt(ends[0], SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on);
#endif
    if (dup2(ends[0], descriptor) < 0) shutdown(descriptor, SHUT_RDWR);
    // dup2 clears FD_CLOEXEC.
    fcntl(descriptor, F_SETFD, FD_CLOEXEC);
#endif
    close(ends[0]);
}

static const int crc_peek_silent = 0;
static const int crc_peek_data = 1;
static const int crc_peek_closed = 2;

// Returns whether a connection is open without unread data, has unread data, or is closed.
static inline int crc_peek(int descriptor) {
    char byte;
    ssize_t count = recv(descriptor, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    if (count > 0) return crc_peek_data;
    return count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK) ? crc_peek_silent : crc_peek_closed;
}

// Returns the local port of a socket, or 0 if it has none.
static inline int crc_local_port(int descriptor) {
    struct sockaddr_storage address;
    socklen_t size = sizeof address;
    if (getsockname(descriptor, (struct sockaddr *)&address, &size) != 0) return 0;
    if (address.ss_family == AF_INET6) return ntohs(((const struct sockaddr_in6 *)&address)->sin6_port);
    return address.ss_family == AF_INET ? ntohs(((const struct sockaddr_in *)&address)->sin_port) : 0;
}

// Copies the bytes of an IP address and returns their number: 4, 16, or 0 for other families.
static inline int crc_address_bytes(const struct curl_sockaddr *address, uint8_t bytes[16]) {
    const void *socket_address = &address->addr;
    if (address->family == AF_INET6) {
        memcpy(bytes, &((const struct sockaddr_in6 *)socket_address)->sin6_addr, 16);
        return 16;
    }
    if (address->family != AF_INET) return 0;
    memcpy(bytes, &((const struct sockaddr_in *)socket_address)->sin_addr, 4);
    return 4;
}

// Writes an IP address as text. Returns 0 for other families. The address may be larger than its declared type.
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

#endif
