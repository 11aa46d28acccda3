#include "transfer.h"

#include <stdlib.h>
#include <string.h>

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

void transfer_start(CURLM *multi, struct transfer *transfer, const struct raw_work *work) {
    transfer->length = 0;
    curl_easy_reset(transfer->easy);
    curl_easy_setopt(transfer->easy, CURLOPT_URL, work->url);
    transfer_configure(transfer, work);
    curl_multi_add_handle(multi, transfer->easy);
}

void transfer_configure(struct transfer *transfer, const struct raw_work *work) {
    CURL *easy = transfer->easy;
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_PRIVATE, transfer);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, receive);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, transfer);
    const long versions[] = {0, CURL_HTTP_VERSION_1_1, CURL_HTTP_VERSION_2TLS, CURL_HTTP_VERSION_3ONLY};
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, versions[work->http_version]);
    curl_easy_setopt(easy, CURLOPT_PIPEWAIT, 1L);
    curl_easy_setopt(easy, CURLOPT_FRESH_CONNECT, (long)work->fresh_connections);
    curl_easy_setopt(easy, CURLOPT_FORBID_REUSE, (long)work->fresh_connections);
    if (work->authority) curl_easy_setopt(easy, CURLOPT_CAINFO, work->authority);
    // The same fields as in the requests of CurlTransport.
    curl_slist_free_all(transfer->fields);
    transfer->fields = curl_slist_append(NULL, "Accept:");
    transfer->fields = curl_slist_append(transfer->fields, "User-Agent: swift-requests/0.1");
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, transfer->fields);
    if (work->gzip) curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "gzip");
    if (work->upload >= 0) {
        transfer->left_to_send = work->upload;
        curl_easy_setopt(easy, CURLOPT_POST, 1L);
        curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)work->upload);
        curl_easy_setopt(easy, CURLOPT_READFUNCTION, provide);
        curl_easy_setopt(easy, CURLOPT_READDATA, transfer);
    }
}

CURLM *transfer_multi(void) {
    curl_global_init(CURL_GLOBAL_DEFAULT);
    CURLM *multi = curl_multi_init();
    curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, 2048L);
    return multi;
}

struct transfer *transfer_slots(const struct raw_work *work, int count) {
    struct transfer *transfers = calloc((size_t)count, sizeof *transfers);
    for (int i = 0; transfers && i < count; i++) {
        transfers[i].easy = curl_easy_init();
        transfers[i].keeps = work->count > 1;
    }
    return transfers;
}

void transfer_free(struct transfer *transfers, int count) {
    for (int i = 0; i < count; i++) {
        curl_easy_cleanup(transfers[i].easy);
        curl_slist_free_all(transfers[i].fields);
        free(transfers[i].body);
    }
    free(transfers);
}

struct transfer *transfer_finished(CURLM *multi, int *failed) {
    int left;
    for (CURLMsg *message; (message = curl_multi_info_read(multi, &left));) {
        if (message->msg != CURLMSG_DONE) continue;
        struct transfer *transfer;
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &transfer);
        if (message->data.result != CURLE_OK) *failed = 1;
        curl_multi_remove_handle(multi, transfer->easy);
        return transfer;
    }
    return NULL;
}
