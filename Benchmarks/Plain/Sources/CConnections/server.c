#include "connections.h"
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static const char response[] = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

void connections_serve(int listener, int count) {
    int *connections = malloc(sizeof *connections * (size_t)count);
    for (int index = 0; index < count; index++) connections[index] = accept(listener, 0, 0);
    for (int index = 0; index < count; index++) {
        char request[4096];
        // A small request arrives in one piece.
        if (read(connections[index], request, sizeof request) <= 0) continue;
        if (write(connections[index], response, strlen(response)) < 0) continue;
    }
    free(connections);
}
