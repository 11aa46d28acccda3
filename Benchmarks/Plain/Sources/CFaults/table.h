// The functions that can fail, and how: FAULT(type, name, result, errno, parameters, arguments).
//
// Each error is one that a system without resources, or a network that is down, really reports.
#ifdef FAULT
FAULT(int, socket, -1, EMFILE, (int family, int type, int protocol), (family, type, protocol))
FAULT(int, connect, -1, EADDRNOTAVAIL, (int fd, const struct sockaddr *address, socklen_t size), (fd, address, size))
FAULT(int, socketpair, -1, EMFILE, (int family, int type, int protocol, int ends[2]), (family, type, protocol, ends))
FAULT(int, bind, -1, EADDRINUSE, (int fd, const struct sockaddr *address, socklen_t size), (fd, address, size))
FAULT(int, setsockopt, -1, ENOBUFS, (int fd, int level, int name, const void *value, socklen_t size),
      (fd, level, name, value, size))
FAULT(int, getsockopt, -1, ENOBUFS, (int fd, int level, int name, void *value, socklen_t *size),
      (fd, level, name, value, size))
FAULT(int, getsockname, -1, ENOBUFS, (int fd, struct sockaddr *address, socklen_t *size), (fd, address, size))
FAULT(int, getpeername, -1, ENOTCONN, (int fd, struct sockaddr *address, socklen_t *size), (fd, address, size))
FAULT(ssize_t, send, -1, ECONNRESET, (int fd, const void *bytes, size_t count, int flags), (fd, bytes, count, flags))
FAULT(ssize_t, recv, -1, ECONNRESET, (int fd, void *bytes, size_t count, int flags), (fd, bytes, count, flags))
FAULT(int, poll, -1, EINTR, (struct pollfd *fds, nfds_t count, int milliseconds), (fds, count, milliseconds))
FAULT(int, epoll_create1, -1, EMFILE, (int flags), (flags))
FAULT(int, epoll_ctl, -1, ENOSPC, (int epoll, int operation, int fd, struct epoll_event *event),
      (epoll, operation, fd, event))
FAULT(int, epoll_wait, -1, EINTR, (int epoll, struct epoll_event *events, int count, int milliseconds),
      (epoll, events, count, milliseconds))
FAULT(int, eventfd, -1, EMFILE, (unsigned int count, int flags), (count, flags))
FAULT(int, pthread_create, EAGAIN, EAGAIN,
      (pthread_t * thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument),
      (thread, attributes, start, argument))
FAULT(int, getaddrinfo, EAI_MEMORY, ENOMEM,
      (const char *name, const char *service, const struct addrinfo *hints, struct addrinfo **list),
      (address_of(name), service, hints, list))
#endif
