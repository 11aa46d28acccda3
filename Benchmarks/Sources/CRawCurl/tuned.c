#include "transfer.h"

#ifdef __linux__
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

// Configures each handle once, parses the origin once, and sets only the request target for each exchange. Tells
// libcurl which sockets are ready. A socket stays registered with epoll between exchanges.

enum { SOCKETS = 1 << 16 };

struct loop {
    CURLM *multi;
    int epoll;
    // When libcurl wants to be called, in milliseconds; -1 for never.
    long long deadline;
    unsigned registered[SOCKETS];
};

static long long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000LL + time.tv_nsec / 1000000;
}

static int set_timer(CURLM *multi, long milliseconds, void *context) {
    (void)multi;
    struct loop *loop = context;
    loop->deadline = milliseconds < 0 ? -1 : now() + milliseconds;
    return 0;
}

static int watch(CURL *easy, curl_socket_t socket, int interest, void *context, void *unused) {
    (void)easy;
    (void)unused;
    struct loop *loop = context;
    if (socket >= SOCKETS || interest == CURL_POLL_REMOVE) return 0;
    unsigned events = (interest & CURL_POLL_IN ? EPOLLIN : 0) | (interest & CURL_POLL_OUT ? EPOLLOUT : 0);
    if (loop->registered[socket] == events) return 0;
    struct epoll_event event = {.events = events, .data.fd = socket};
    int operation = loop->registered[socket] ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;
    if (epoll_ctl(loop->epoll, operation, socket, &event)) {
        epoll_ctl(loop->epoll, operation == EPOLL_CTL_MOD ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, socket, &event);
    }
    loop->registered[socket] = events;
    return 0;
}

static int wait_time(const struct loop *loop) {
    if (loop->deadline < 0) return 1000;
    long long left = loop->deadline - now();
    return left < 0 ? 0 : (int)left;
}

static void turn(struct loop *loop) {
    struct epoll_event events[256];
    int count = epoll_wait(loop->epoll, events, 256, wait_time(loop)), running;
    for (int i = 0; i < count; i++) {
        int flags = (events[i].events & (EPOLLIN | EPOLLHUP) ? CURL_CSELECT_IN : 0) |
                    (events[i].events & EPOLLOUT ? CURL_CSELECT_OUT : 0) |
                    (events[i].events & EPOLLERR ? CURL_CSELECT_ERR : 0);
        curl_multi_socket_action(loop->multi, events[i].data.fd, flags, &running);
    }
    if (loop->deadline >= 0 && loop->deadline <= now()) {
        loop->deadline = -1;
        curl_multi_socket_action(loop->multi, CURL_SOCKET_TIMEOUT, 0, &running);
    }
}

static void start(struct loop *loop, struct transfer *transfer, const char *target) {
    transfer->length = 0;
    curl_easy_setopt(transfer->easy, CURLOPT_REQUEST_TARGET, target);
    curl_multi_add_handle(loop->multi, transfer->easy);
}

long long raw_run_tuned(const struct raw_work *work) {
    static struct loop loop;
    memset(&loop, 0, sizeof loop);
    loop.multi = transfer_multi();
    loop.epoll = epoll_create1(EPOLL_CLOEXEC);
    loop.deadline = -1;
    curl_multi_setopt(loop.multi, CURLMOPT_SOCKETFUNCTION, watch);
    curl_multi_setopt(loop.multi, CURLMOPT_SOCKETDATA, &loop);
    curl_multi_setopt(loop.multi, CURLMOPT_TIMERFUNCTION, set_timer);
    curl_multi_setopt(loop.multi, CURLMOPT_TIMERDATA, &loop);
    CURLU *origin = curl_url();
    char *target = NULL;
    curl_url_set(origin, CURLUPART_URL, work->url, 0);
    curl_url_get(origin, CURLUPART_PATH, &target, 0);
    int slots = work->count < work->in_flight ? (int)work->count : work->in_flight;
    struct transfer *transfers = transfer_slots(work, slots);
    for (int i = 0; i < slots; i++) {
        transfer_configure(&transfers[i], work);
        curl_easy_setopt(transfers[i].easy, CURLOPT_CURLU, origin);
    }
    long started = 0, finished = 0;
    long long received = 0;
    int failed = 0;
    for (; started < slots; started++) start(&loop, &transfers[started], target);
    while (finished < work->count && !failed) {
        turn(&loop);
        for (struct transfer *transfer; (transfer = transfer_finished(loop.multi, &failed));) {
            received += (long long)transfer->length;
            finished++;
            if (started++ < work->count) start(&loop, transfer, target);
        }
    }
    for (int i = 0; i < slots; i++) curl_multi_remove_handle(loop.multi, transfers[i].easy);
    transfer_free(transfers, slots);
    curl_multi_cleanup(loop.multi);
    curl_url_cleanup(origin);
    curl_free(target);
    close(loop.epoll);
    return failed ? -1 : received;
}
#else
long long raw_run_tuned(const struct raw_work *work) {
    return raw_run(work);
}
#endif
