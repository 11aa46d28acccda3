// One exchange at a time over a handle that is used again.
#ifndef TRANSFER_H
#define TRANSFER_H

#include "raw.h"

#include <curl/curl.h>

struct transfer {
    CURL *easy;
    char *body;
    size_t length;
    size_t capacity;
    long long left_to_send;
    // Whether the bytes are kept, as they are of a small response, or counted alone.
    int keeps;
    // The next in a list.
    struct transfer *next;
};

CURLM *transfer_multi(void);

// Transfers that are ready to start, or NULL when there is no memory.
struct transfer *transfer_slots(const struct raw_work *work, int count);

void transfer_free(struct transfer *transfers, int count);

void transfer_start(CURLM *multi, struct transfer *transfer, const struct raw_work *work);

// Takes the next transfer that has ended out of libcurl; NULL when there is none. Sets `failed` when it failed.
struct transfer *transfer_finished(CURLM *multi, int *failed);

#endif
