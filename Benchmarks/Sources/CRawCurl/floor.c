#include "loop.h"

#ifdef __linux__
#include <pthread.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct floor {
    struct loop loop;
    pthread_t thread;
    pthread_mutex_t lock;
    struct transfer *submitted, *idle;
    int is_asleep, stops;
    floor_resume resume;
};

static void push(struct transfer **list, struct transfer *transfer) {
    transfer->next = *list;
    *list = transfer;
}

static struct transfer *pop(struct transfer **list) {
    struct transfer *first = *list;
    if (first) *list = first->next;
    return first;
}

// Resumes the tasks after all sockets of the turn were read.
static void hand_back(struct floor *floor) {
    struct transfer *ended = NULL;
    int failed = 0;
    for (struct transfer *next; (next = transfer_finished(floor->loop.multi, &failed));) push(&ended, next);
    while (ended) {
        struct transfer *transfer = pop(&ended);
        void *context = transfer->context;
        pthread_mutex_lock(&floor->lock);
        floor->is_asleep = 0;
        push(&floor->idle, transfer);
        pthread_mutex_unlock(&floor->lock);
        // Only this thread starts it again, so the body stays until then.
        floor->resume(context, failed ? NULL : transfer->body, transfer->length);
    }
}

static void *run(void *context) {
    struct floor *floor = context;
    for (;;) {
        pthread_mutex_lock(&floor->lock);
        struct transfer *submitted = floor->submitted;
        floor->submitted = NULL;
        floor->is_asleep = !submitted && !floor->stops;
        int stops = floor->stops;
        pthread_mutex_unlock(&floor->lock);
        if (stops) return NULL;
        while (submitted) loop_start(&floor->loop, pop(&submitted));
        loop_turn(&floor->loop);
        hand_back(floor);
    }
}

struct floor *floor_start(const struct raw_work *work, floor_resume resume) {
    struct floor *floor = calloc(1, sizeof *floor);
    loop_open(&floor->loop, work);
    for (int i = 0; i < floor->loop.count; i++) push(&floor->idle, &floor->loop.transfers[i]);
    floor->resume = resume;
    floor->loop.wake_up = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.fd = floor->loop.wake_up};
    epoll_ctl(floor->loop.epoll, EPOLL_CTL_ADD, floor->loop.wake_up, &event);
    pthread_mutex_init(&floor->lock, NULL);
    pthread_create(&floor->thread, NULL, run, floor);
    return floor;
}

// Unlocks, and wakes the thread if it is asleep.
static void unlock(struct floor *floor) {
    int wakes = floor->is_asleep;
    floor->is_asleep = 0;
    pthread_mutex_unlock(&floor->lock);
    if (wakes) eventfd_write(floor->loop.wake_up, 1);
}

int floor_submit(struct floor *floor, void *context) {
    pthread_mutex_lock(&floor->lock);
    struct transfer *transfer = pop(&floor->idle);
    if (transfer) {
        transfer->context = context;
        push(&floor->submitted, transfer);
    }
    unlock(floor);
    return transfer != NULL;
}

void floor_stop(struct floor *floor) {
    pthread_mutex_lock(&floor->lock);
    floor->stops = 1;
    unlock(floor);
    pthread_join(floor->thread, NULL);
    loop_close(&floor->loop);
    close(floor->loop.wake_up);
    pthread_mutex_destroy(&floor->lock);
    free(floor);
}
#else
struct floor *floor_start(const struct raw_work *work, floor_resume resume) {
    return NULL;
}

int floor_submit(struct floor *floor, void *context) {
    return 0;
}

void floor_stop(struct floor *floor) {}
#endif
