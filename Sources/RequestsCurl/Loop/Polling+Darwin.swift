#if canImport(Darwin)
import Requests

/// Chooses how the loop waits.
enum Polling {
    /// Darwin has no epoll.
    static func makePoller(withEpoll: Bool) throws(TransportError) -> any Poller {
        MultiPoller()
    }
}
#endif
