#if !os(Linux)
// Not compiled on the machine that this was written on.
import Requests

enum Polling {
    static func makePoller(withEpoll: Bool) throws(TransportError) -> any Poller {
        MultiPoller()
    }
}
#endif
