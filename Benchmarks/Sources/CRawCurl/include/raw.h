// Exchanges over libcurl in C, which the transports are compared with.
#ifndef RAW_H
#define RAW_H

#include <stddef.h>

struct raw_work {
    const char *url;
    // The file of the trusted certificate authority, or NULL for the system's authorities.
    const char *authority;
    // The number of exchanges, and how many of them run at once.
    long count;
    int in_flight;
    // The HTTP version: 1, 2 (if the server negotiates it) or 3.
    int http_version;
    // The size of the request body, or -1 for a GET.
    long long upload;
    // Whether each exchange opens a connection.
    int fresh_connections;
    // Whether gzip is accepted and decoded.
    int gzip;
};

// Returns the number of bytes received, or -1 if an exchange fails. Resets the handle and sets its URL for each
// exchange, and waits with curl_multi_poll.
long long raw_run(const struct raw_work *work);

// Runs libcurl on a second thread, to which each exchange is passed and which passes it back.
long long raw_run_threaded(const struct raw_work *work);

// Configures each handle once, sets only the request target for each exchange, and waits with epoll. Not for uploads.
long long raw_run_tuned(const struct raw_work *work);

// The least that a transport with an event loop costs: the loop of raw_run_tuned on a thread. Linux only.
struct floor;

// Called on the thread with the body of an exchange, or NULL if it failed.
typedef void (*floor_resume)(void *context, const char *body, size_t length);

struct floor *floor_start(const struct raw_work *work, floor_resume resume);

// Starts an exchange from any thread. Returns 0 if as many as are in flight already run.
int floor_submit(struct floor *floor, void *context);

void floor_stop(struct floor *floor);

#endif
