import CRequestsCurl
import Requests

/// Exchanges with a server that may speak HTTP/2 wait while the first of them makes a connection: it can serve them all.
///
/// Libcurl can do that by itself (`CURLOPT_PIPEWAIT`), but holds back requests without TLS until the first is over, and
/// has one queue for all servers, in which those that do not answer stand before others.
extension LoopDriver {
    /// Has libcurl begin a transfer, now or when there is a connection for it.
    func open(_ transfer: Transfer) {
        guard settings.sharesConnections(to: transfer.request.url), let origin = transfer.handle?.last.origin,
            !origin.isOfHTTP1
        else { return add(transfer) }
        if origin.isOpening {
            transfer.beginWaiting()
            return origin.waiting.append(transfer)
        }
        origin.isOpening = true
        transfer.opening = origin
        add(transfer)
    }

    /// The connection stands: there is one, or the server wants one for each.
    ///
    /// Called from inside of libcurl, which takes no other transfer there.
    func noteOpened(by transfer: Transfer) {
        released += waiting(for: transfer)
    }

    /// There is no connection. Where libcurl says why, each finds out for itself; where the transfer was given up, or its time
    /// was, another makes the connection.
    func noteFailed(by transfer: Transfer, isFinal: Bool) {
        for other in waiting(for: transfer) where !other.isEnded {
            if isFinal { add(other) } else { open(other) }
        }
    }

    /// Notes which connection a request goes over. From then on it serves another, too, if it did one.
    func noteSending(by transfer: Transfer, overNewConnection isNew: Bool, fromPort port: Int) {
        noteNotAlone(transfer)
        if let other = alone[port] { noteNotAlone(other) }
        guard isNew else { return }
        alone[port] = transfer
        transfer.lonePort = port
    }

    func noteNotAlone(_ transfer: Transfer) {
        if let port = transfer.lonePort.take() { alone[port] = nil }
    }

    /// - Returns: Whether there were any.
    func addReleased() -> Bool {
        guard !released.isEmpty else { return false }
        let transfers = released
        released = []
        for transfer in transfers where !transfer.isEnded { add(transfer) }
        return true
    }

    /// Starts a transfer again over a new connection. Nothing of its request was sent.
    func restart(_ transfer: Transfer) {
        guard let handle = transfer.handle else { return }
        transfer.beginWaiting()
        curl_multi_remove_handle(multi, handle.easy)
        add(transfer)
    }

    private func waiting(for transfer: Transfer) -> [Transfer] {
        guard let origin = transfer.opening.take() else { return [] }
        origin.isOpening = false
        defer { origin.waiting = [] }
        return origin.waiting
    }

    private func add(_ transfer: Transfer) {
        transfer.endWaiting()
        guard let handle = transfer.handle, curl_multi_add_handle(multi, handle.easy) == CURLM_OK else {
            return end(transfer, .failure(TransportError.unsupported("libcurl refuses another transfer")))
        }
    }
}
