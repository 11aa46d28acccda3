#define _GNU_SOURCE
#include "faults.h"
#include "plan.h"
#include <dlfcn.h>
#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

// The numbers of the functions. Number 0 is malloc.
enum {
    MALLOC,
#define FAULT(type, name, result, error, parameters, arguments) NUMBER_##name,
#include "table.h"
#undef FAULT
    COUNT
};

static const char *const names[] = {
    "malloc",
#define FAULT(type, name, result, error, parameters, arguments) #name,
#include "table.h"
#undef FAULT
};

int faults_count(void) {
    return COUNT;
}

const char *faults_name(int function) {
    return names[function];
}

// The name of a test server has the address of this machine.
static const char *address_of(const char *name) {
    return name && strcmp(name, "server.test") == 0 ? "127.0.0.1" : name;
}

// The executable's definitions win over the C library's.
#define FAULT(type, name, result, error, parameters, arguments)                                                              \
    type name parameters {                                                                                              \
        static __typeof__(&name) next;                                                                                 \
        if (!next) next = (__typeof__(&name))dlsym(RTLD_NEXT, #name);                                                  \
        if (plan_fails(NUMBER_##name, __builtin_return_address(0))) {                                                  \
            errno = error;                                                                                             \
            return result;                                                                                             \
        }                                                                                                              \
        return next arguments;                                                                                         \
    }
#include "table.h"
#undef FAULT
