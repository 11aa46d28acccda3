#include "transfer.h"

long long raw_run(const struct raw_work *work) {
    CURLM *multi = transfer_multi();
    int slots = work->count < work->in_flight ? (int)work->count : work->in_flight;
    struct transfer *transfers = transfer_slots(work, slots);
    long started = 0, finished = 0;
    long long received = 0;
    int failed = 0;
    for (; started < slots; started++) transfer_start(multi, &transfers[started], work);
    while (finished < work->count && !failed) {
        int running;
        curl_multi_perform(multi, &running);
        for (struct transfer *transfer; (transfer = transfer_finished(multi, &failed));) {
            received += (long long)transfer->length;
            finished++;
            if (started++ < work->count) transfer_start(multi, transfer, work);
        }
        if (finished < work->count && !failed) curl_multi_poll(multi, NULL, 0, 1000, NULL);
    }
    for (int i = 0; i < slots; i++) curl_multi_remove_handle(multi, transfers[i].easy);
    transfer_free(transfers, slots);
    curl_multi_cleanup(multi);
    return failed ? -1 : received;
}
