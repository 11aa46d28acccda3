#if canImport(Darwin)
/// Darwin has no epoll, so the transport always uses `MultiPoller` there.
typealias EpollPoller = MultiPoller
#endif
