#include "connections.h"
#include <curl/curl.h>
#include <stdlib.h>

static size_t discard(char *bytes, size_t size, size_t count, void *context) {
    return size * count;
}

static CURL *add(CURLM *multi, const char *url) {
    CURL *easy = curl_easy_init();
    curl_easy_setopt(easy, CURLOPT_URL, url);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, 128L << 10);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, discard);
    curl_multi_add_handle(multi, easy);
    return easy;
}

// Frees a handle when its request is done, and counts the ones that succeeded.
static int finish(CURLM *multi) {
    int count = 0, left = 0;
    CURLMsg *message;
    while ((message = curl_multi_info_read(multi, &left))) {
        CURL *easy = message->easy_handle;
        count += message->data.result == CURLE_OK;
        curl_multi_remove_handle(multi, easy);
        curl_easy_cleanup(easy);
    }
    return count;
}

void *connections_open(const char *url, int count) {
    curl_global_init(CURL_GLOBAL_DEFAULT);
    CURLM *multi = curl_multi_init();
    curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, (long)count);
    for (int index = 0; index < count; index++) add(multi, url);
    int running = 1, succeeded = 0;
    while (running > 0) {
        curl_multi_perform(multi, &running);
        succeeded += finish(multi);
        if (running > 0) curl_multi_poll(multi, 0, 0, 1000, 0);
    }
    if (succeeded == count) return multi;
    curl_multi_cleanup(multi);
    return 0;
}

void connections_close(void *connections) {
    curl_multi_cleanup(connections);
}
