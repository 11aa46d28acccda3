#if canImport(CRequestsCurl)
import CRequestsCurl
import Requests
import RequestsClient

/// Starts transfers, some of which wait while another one connects, because one connection can serve them all.
///
/// libcurl's own `CURLOPT_PIPEWAIT` holds back requests without TLS until the first is over. It also has one queue for
/// all servers, in which a server that doesn't respond blocks the others.
extension LoopDriver {
    /// Starts a transfer now, or later when there is a connection for it.
    func open(_ transfer: Transfer) {
        guard settings.sharesConnections(to: transfer.request.url), let handle = transfer.handle,
            let origin = handle.last.origin, !origin.isOfHTTP1, !handle.last.isForHTTP1,
            connections.begin(transfer, to: origin, at: clock.now) == .wait
        else { return add(transfer) }
        // The wait for the first connection counts towards the timeouts, because the server may not respond.
        if origin.connections.isEmpty { transfer.deadlines.suspendIdle(false, at: clock.now) }
    }

    /// Starts the transfers whose wait for a connection is over.
    ///
    /// - Returns: Whether there were any.
    func addReleased() -> Bool {
        guard !connections.released.isEmpty else { return false }
        let released = connections.released
        connections.released = []
        poller.noteProgress()
        for case let transfer as Transfer in released where !transfer.isEnded { add(transfer) }
        return true
    }

    func restart(_ transfer: Transfer, _ kind: Connections.Request.Restart) {
        guard let handle = transfer.handle else { return }
        guard transfer.upload == nil || transfer.attempts == 0 || transfer.rewindBody() else {
            return end(transfer, transfer.outcome(of: CURLE_ABORTED_BY_CALLBACK), isDone: true)
        }
        // libcurl counts the connections from 0 again.
        transfer.connecting.made = 0
        handle.last.openedSockets = []
        transfer.connecting.addresses = []
        transfer.connecting.nextLook = nil
        unsafe curl_multi_remove_handle(multi, handle.easy)
        if kind == .overFreshConnection { handle.turnOn(CURLOPT_FRESH_CONNECT) }
        if kind == .withCredentials { transfer.beginAnew() }
        if kind == .afterOthers { handle.turnOff(CURLOPT_FRESH_CONNECT) }
        guard kind == .afterOthers || transfer.admission?.isCurrent == false else { return add(transfer) }
        transfer.deadlines.suspendIdle(true, at: clock.now)
        connections.end(transfer, isRefused: false, at: clock.now)
        open(transfer)
    }

    private func add(_ transfer: Transfer) {
        transfer.timing.waited = .nanoseconds(clock.now - transfer.timing.begun)
        transfer.deadlines.suspendIdle(true, at: clock.now)
        do {
            try transfer.handle?.setTag()
            try transfer.setProxyCredentials()
        } catch {
            return end(transfer, .failure(error))
        }
        let code = transfer.handle.map { unsafe curl_multi_add_handle(multi, $0.easy) } ?? CURLM_BAD_EASY_HANDLE
        guard code != CURLM_OK else { return }
        let isMemory = code == CURLM_OUT_OF_MEMORY
        end(transfer, .failure(isMemory ? TransportError.outOfMemory(creating: "a transfer") : transfer.fault(code)))
    }
}
#endif
