// One exchange after another over the same handle.
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
    struct curl_slist *fields;
    // Whether the body is collected. Otherwise its bytes are only counted.
    int keeps;
    // What is resumed at the end.
    void *context;
    // The next in a list.
    struct transfer *next;
};

CURLM *transfer_multi(void);

// Returns transfers that are ready to start, or NULL if there is no memory.
struct transfer *transfer_slots(const struct raw_work *work, int count);

void transfer_free(struct transfer *transfers, int count);

// Sets all options of a new or reset handle.
void transfer_configure(struct transfer *transfer, const struct raw_work *work);

// Resets and configures the handle, and starts the exchange.
void transfer_start(CURLM *multi, struct transfer *transfer, const struct raw_work *work);

// Removes the next finished transfer from libcurl and returns it, or NULL if there is none. Sets `failed` if it failed.
struct transfer *transfer_finished(CURLM *multi, int *failed);

#endif
