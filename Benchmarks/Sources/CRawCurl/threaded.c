#include "transfer.h"

#include <pthread.h>
#include <stddef.h>

// The state that both threads share. The caller submits transfers, and the loop's thread returns them when they ended.
struct loop {
    CURLM *multi;
    const struct raw_work *work;
    pthread_mutex_t lock;
    pthread_cond_t has_finished;
    struct transfer *submitted;
    struct transfer *finished;
    int is_asleep, is_awaited, failed, stops;
};

static void submit(struct loop *loop, struct transfer *transfer) {
    pthread_mutex_lock(&loop->lock);
    transfer->next = loop->submitted;
    loop->submitted = transfer;
    int wakes = loop->is_asleep;
    loop->is_asleep = 0;
    pthread_mutex_unlock(&loop->lock);
    if (wakes) curl_multi_wakeup(loop->multi);
}

// Waits until transfers have ended, and takes all of them. Returns NULL if one failed.
static struct transfer *finished(struct loop *loop) {
    pthread_mutex_lock(&loop->lock);
    while (!loop->finished && !loop->failed) {
        loop->is_awaited = 1;
        pthread_cond_wait(&loop->has_finished, &loop->lock);
    }
    struct transfer *all = loop->finished;
    loop->finished = NULL;
    pthread_mutex_unlock(&loop->lock);
    return all;
}

// Returns all transfers that ended in this turn together.
static void hand_back(struct loop *loop) {
    struct transfer *first = NULL, *last = NULL;
    int failed = 0;
    for (struct transfer *transfer; (transfer = transfer_finished(loop->multi, &failed));) {
        transfer->next = first;
        first = transfer;
        if (!last) last = transfer;
    }
    if (!first) return;
    pthread_mutex_lock(&loop->lock);
    last->next = loop->finished;
    loop->finished = first;
    loop->failed |= failed;
    int wakes = loop->is_awaited;
    loop->is_awaited = 0;
    pthread_mutex_unlock(&loop->lock);
    if (wakes) pthread_cond_signal(&loop->has_finished);
}

static void *run(void *context) {
    struct loop *loop = context;
    for (;;) {
        pthread_mutex_lock(&loop->lock);
        struct transfer *submitted = loop->submitted;
        loop->submitted = NULL;
        loop->is_asleep = !submitted && !loop->stops;
        int waits = loop->is_asleep, stops = loop->stops;
        pthread_mutex_unlock(&loop->lock);
        if (stops) return NULL;
        if (waits) curl_multi_poll(loop->multi, NULL, 0, 1000, NULL);
        for (struct transfer *next; submitted; submitted = next) {
            next = submitted->next;
            transfer_start(loop->multi, submitted, loop->work);
        }
        int running;
        curl_multi_perform(loop->multi, &running);
        hand_back(loop);
    }
}

long long raw_run_threaded(const struct raw_work *work) {
    struct loop loop = {.multi = transfer_multi(), .work = work};
    pthread_mutex_init(&loop.lock, NULL);
    pthread_cond_init(&loop.has_finished, NULL);
    int slots = work->count < work->in_flight ? (int)work->count : work->in_flight;
    struct transfer *transfers = transfer_slots(work, slots);
    pthread_t thread;
    pthread_create(&thread, NULL, run, &loop);
    long started = 0, ended = 0;
    long long received = 0;
    for (; started < slots; started++) submit(&loop, &transfers[started]);
    for (struct transfer *next, *transfer; ended < work->count && (transfer = finished(&loop));) {
        for (; transfer; transfer = next) {
            next = transfer->next;
            received += (long long)transfer->length;
            ended++;
            if (started++ < work->count) submit(&loop, transfer);
        }
    }
    pthread_mutex_lock(&loop.lock);
    loop.stops = 1;
    pthread_mutex_unlock(&loop.lock);
    curl_multi_wakeup(loop.multi);
    pthread_join(thread, NULL);
    for (int i = 0; i < slots; i++) curl_multi_remove_handle(loop.multi, transfers[i].easy);
    transfer_free(transfers, slots);
    curl_multi_cleanup(loop.multi);
    pthread_cond_destroy(&loop.has_finished);
    pthread_mutex_destroy(&loop.lock);
    return loop.failed ? -1 : received;
}
