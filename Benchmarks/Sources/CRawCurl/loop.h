// libcurl with epoll: configures each handle once, parses the origin once, and sets only the request target for each
// exchange. Tells libcurl which sockets are ready. A socket stays registered with epoll between exchanges.
#ifndef LOOP_H
#define LOOP_H

#include "transfer.h"

enum { SOCKETS = 1 << 16 };

struct loop {
    CURLM *multi;
    CURLU *origin;
    char *target;
    struct transfer *transfers;
    int count;
    int epoll;
    // A descriptor that only ends a wait, or -1.
    int wake_up;
    // When libcurl wants to be called, in milliseconds; -1 for never.
    long long deadline;
    unsigned registered[SOCKETS];
};

void loop_open(struct loop *loop, const struct raw_work *work);

// Waits for sockets, and lets libcurl handle those that are ready.
void loop_turn(struct loop *loop);

void loop_start(struct loop *loop, struct transfer *transfer);

void loop_close(struct loop *loop);

#endif
