// Exchanges over libcurl as a C program makes them: what the transports are compared with.
#ifndef RAW_H
#define RAW_H

struct raw_work {
    const char *url;
    // The file of the authority to trust; NULL for the system's.
    const char *authority;
    // How many exchanges, and how many of them at a time.
    long count;
    int in_flight;
    // Whether TLS may negotiate HTTP/2.
    int http2;
    // How many bytes to send with each; -1 for a GET.
    long long upload;
    // Whether each exchange has a connection of its own.
    int fresh_connections;
};

// Returns the number of bytes received, or -1 when an exchange fails.
long long raw_run(const struct raw_work *work);

// The same with libcurl on a thread of its own, to which each exchange is handed over and which hands it back.
long long raw_run_threaded(const struct raw_work *work);

#endif
