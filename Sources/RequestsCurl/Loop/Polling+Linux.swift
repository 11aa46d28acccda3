#if os(Linux)
import Requests

enum Polling {
    static func makePoller(withEpoll: Bool) throws(TransportError) -> any Poller {
        withEpoll ? try EpollPoller() : MultiPoller()
    }
}
#endif
