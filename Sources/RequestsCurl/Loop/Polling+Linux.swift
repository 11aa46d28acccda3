#if !canImport(Darwin)
import Requests

/// Chooses how the loop waits.
enum Polling {
    static func makePoller(withEpoll: Bool) throws(TransportError) -> any Poller {
        withEpoll ? try EpollPoller() : MultiPoller()
    }
}
#endif
