#include "raw.h"

#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>

struct transfer {
    CURL *easy;
    char *body;
    size_t length;
    size_t capacity;
    long long left_to_send;
    // Whether the bytes are kept, as they are of a small response, or counted alone.
    int keeps;
};

static size_t receive(char *bytes, size_t size, size_t count, void *context) {
    struct transfer *transfer = context;
    size_t length = size * count;
    if (transfer->keeps) {
        if (transfer->length + length > transfer->capacity) {
            transfer->capacity = (transfer->length + length) * 2;
            transfer->body = realloc(transfer->body, transfer->capacity);
        }
        memcpy(transfer->body + transfer->length, bytes, length);
    }
    transfer->length += length;
    return length;
}

static size_t provide(char *buffer, size_t size, size_t count, void *context) {
    struct transfer *transfer = context;
    size_t length = size * count;
    if ((long long)length > transfer->left_to_send) length = (size_t)transfer->left_to_send;
    memset(buffer, 'x', length);
    transfer->left_to_send -= (long long)length;
    return length;
}

static void start(CURLM *multi, struct transfer *transfer, const struct raw_work *work) {
    CURL *easy = transfer->easy;
    transfer->length = 0;
    curl_easy_reset(easy);
    curl_easy_setopt(easy, CURLOPT_URL, work->url);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_PRIVATE, transfer);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, receive);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, transfer);
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, work->http2 ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1);
    curl_easy_setopt(easy, CURLOPT_PIPEWAIT, 1L);
    curl_easy_setopt(easy, CURLOPT_FRESH_CONNECT, (long)work->fresh_connections);
    curl_easy_setopt(easy, CURLOPT_FORBID_REUSE, (long)work->fresh_connections);
    if (work->authority) curl_easy_setopt(easy, CURLOPT_CAINFO, work->authority);
    if (work->upload >= 0) {
        transfer->left_to_send = work->upload;
        curl_easy_setopt(easy, CURLOPT_POST, 1L);
        curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)work->upload);
        curl_easy_setopt(easy, CURLOPT_READFUNCTION, provide);
        curl_easy_setopt(easy, CURLOPT_READDATA, transfer);
    }
    curl_multi_add_handle(multi, easy);
}

long long raw_run(const struct raw_work *work) {
    curl_global_init(CURL_GLOBAL_DEFAULT);
    CURLM *multi = curl_multi_init();
    curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, 2048L);
    int slots = work->count < work->in_flight ? (int)work->count : work->in_flight;
    struct transfer *transfers = calloc((size_t)slots, sizeof *transfers);
    long started = 0, finished = 0;
    long long received = 0;
    int failed = 0;
    for (int i = 0; i < slots; i++, started++) {
        transfers[i].easy = curl_easy_init();
        transfers[i].keeps = work->count > 1;
        start(multi, &transfers[i], work);
    }
    while (finished < work->count && !failed) {
        int running, left;
        curl_multi_perform(multi, &running);
        for (CURLMsg *message; (message = curl_multi_info_read(multi, &left));) {
            if (message->msg != CURLMSG_DONE) continue;
            struct transfer *transfer;
            curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &transfer);
            if (message->data.result != CURLE_OK) failed = 1;
            curl_multi_remove_handle(multi, transfer->easy);
            received += (long long)transfer->length;
            finished++;
            if (started < work->count) {
                started++;
                start(multi, transfer, work);
            }
        }
        if (finished < work->count && !failed) curl_multi_poll(multi, NULL, 0, 1000, NULL);
    }
    for (int i = 0; i < slots; i++) {
        curl_multi_remove_handle(multi, transfers[i].easy);
        curl_easy_cleanup(transfers[i].easy);
        free(transfers[i].body);
    }
    free(transfers);
    curl_multi_cleanup(multi);
    return failed ? -1 : received;
}
