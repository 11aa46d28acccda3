#include "loop.h"

#ifdef __linux__
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

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

void loop_turn(struct loop *loop) {
    struct epoll_event events[256];
    int count = epoll_wait(loop->epoll, events, 256, wait_time(loop)), running;
    for (int i = 0; i < count; i++) {
        if (events[i].data.fd == loop->wake_up) continue;
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

void loop_start(struct loop *loop, struct transfer *transfer) {
    transfer->length = 0;
    curl_easy_setopt(transfer->easy, CURLOPT_REQUEST_TARGET, loop->target);
    curl_multi_add_handle(loop->multi, transfer->easy);
}

void loop_open(struct loop *loop, const struct raw_work *work) {
    memset(loop, 0, sizeof *loop);
    loop->multi = transfer_multi();
    loop->epoll = epoll_create1(EPOLL_CLOEXEC);
    loop->deadline = loop->wake_up = -1;
    curl_multi_setopt(loop->multi, CURLMOPT_SOCKETFUNCTION, watch);
    curl_multi_setopt(loop->multi, CURLMOPT_SOCKETDATA, loop);
    curl_multi_setopt(loop->multi, CURLMOPT_TIMERFUNCTION, set_timer);
    curl_multi_setopt(loop->multi, CURLMOPT_TIMERDATA, loop);
    loop->origin = curl_url();
    curl_url_set(loop->origin, CURLUPART_URL, work->url, 0);
    curl_url_get(loop->origin, CURLUPART_PATH, &loop->target, 0);
    loop->count = work->count < work->in_flight ? (int)work->count : work->in_flight;
    loop->transfers = transfer_slots(work, loop->count);
    for (int i = 0; i < loop->count; i++) {
        transfer_configure(&loop->transfers[i], work);
        curl_easy_setopt(loop->transfers[i].easy, CURLOPT_CURLU, loop->origin);
    }
}

void loop_close(struct loop *loop) {
    for (int i = 0; i < loop->count; i++) curl_multi_remove_handle(loop->multi, loop->transfers[i].easy);
    transfer_free(loop->transfers, loop->count);
    curl_multi_cleanup(loop->multi);
    curl_url_cleanup(loop->origin);
    curl_free(loop->target);
    close(loop->epoll);
}

long long raw_run_tuned(const struct raw_work *work) {
    static struct loop loop;
    loop_open(&loop, work);
    long started = 0, finished = 0;
    long long received = 0;
    int failed = 0;
    for (; started < loop.count; started++) loop_start(&loop, &loop.transfers[started]);
    while (finished < work->count && !failed) {
        loop_turn(&loop);
        for (struct transfer *transfer; (transfer = transfer_finished(loop.multi, &failed));) {
            received += (long long)transfer->length;
            finished++;
            if (started++ < work->count) loop_start(&loop, transfer);
        }
    }
    loop_close(&loop);
    return failed ? -1 : received;
}
#else
long long raw_run_tuned(const struct raw_work *work) {
    return raw_run(work);
}
#endif
