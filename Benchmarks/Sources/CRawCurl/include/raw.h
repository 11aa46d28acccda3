// Exchanges over libcurl in C, which the transports are compared with.
#ifndef RAW_H
#define RAW_H

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

#endif
