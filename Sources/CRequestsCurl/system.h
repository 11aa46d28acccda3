// System calls whose constants have different Swift types in each C library, or can't be imported.
#ifndef CREQUESTSCURL_SYSTEM_H
#define CREQUESTSCURL_SYSTEM_H

#include <pthread.h>
#include <stdint.h>

#ifdef __linux__
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <unistd.h>

static const uint32_t crc_epoll_in = EPOLLIN;
static const uint32_t crc_epoll_out = EPOLLOUT;
static const uint32_t crc_epoll_error = EPOLLERR;
static const uint32_t crc_epoll_hangup = EPOLLHUP;
static const uint32_t crc_epoll_edge = EPOLLET;
static const int crc_epoll_add = EPOLL_CTL_ADD;
static const int crc_epoll_modify = EPOLL_CTL_MOD;
static const int crc_epoll_delete = EPOLL_CTL_DEL;

static inline int crc_epoll_create(void) {
    return epoll_create1(EPOLL_CLOEXEC);
}

static inline int crc_epoll_control(int epoll, int operation, int descriptor, uint32_t events) {
    struct epoll_event event = {.events = events, .data = {.fd = descriptor}};
    return epoll_ctl(epoll, operation, descriptor, &event);
}

static inline int crc_epoll_wait(int epoll, struct epoll_event *events, int count, int milliseconds) {
    return epoll_wait(epoll, events, count, milliseconds);
}

static inline int crc_eventfd(void) {
    return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}

static inline void crc_eventfd_signal(int descriptor) {
    const uint64_t one = 1;
    // A full counter is already a signal.
    if (write(descriptor, &one, sizeof one) < 0) return;
}
#endif

// Starts a detached thread. Returns 0, or an error number if the system can't.
static inline int crc_start_thread(void *(*function)(void *), void *context) {
    pthread_t thread;
    int error = pthread_create(&thread, 0, function, context);
    if (error == 0) pthread_detach(thread);
    return error;
}

// Names the calling thread for debuggers and `ps`. At most 15 bytes.
static inline void crc_name_thread(const char *name) {
#if defined(__linux__)
    prctl(PR_SET_NAME, name, 0, 0, 0);
#elif defined(__APPLE__)
    pthread_setname_np(name);
#endif
}

#endif
