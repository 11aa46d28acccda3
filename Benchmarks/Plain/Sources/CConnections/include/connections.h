#pragma once

// Opens connections to a server with plain libcurl, one for each of `count` requests at once, and leaves them idle.
//
// Returns what `connections_close` takes, or 0 if a request failed.
void *connections_open(const char *url, int count);
void connections_close(void *connections);

// Accepts connections on a listening socket, and responds when there are `count` of them. Never returns otherwise.
void connections_serve(int listener, int count);
