#if canImport(Darwin)
/// Darwin has no epoll.
typealias EpollPoller = MultiPoller
#endif
