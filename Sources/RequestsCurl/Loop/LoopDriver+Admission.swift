#if canImport(CRequestsCurl)
import CRequestsCurl
import Requests
import RequestsClient
import RequestsSystem

/// Makes exchanges with a server that may speak HTTP/2 wait while one of them connects, because one connection can
/// serve them all.
///
/// libcurl's own `CURLOPT_PIPEWAIT` holds back requests without TLS until the first is over. It also has one queue for
/// all servers, in which a server that doesn't respond blocks the others.
extension LoopDriver {
    /// Starts a transfer now, or later when there is a connection for it.
    func open(_ transfer: Transfer) {
        guard settings.sharesConnections(to: transfer.request.url), let origin = transfer.handle?.last.origin,
            !origin.isOfHTTP1, transfer.handle?.last.isForHTTP1 != true
        else { return add(transfer) }
        if admit(transfer, to: origin) { return add(transfer) }
        // The wait for the first connection counts towards the timeouts, because the server may not respond.
        if origin.shared.connections == 0 { transfer.deadlines.suspendIdle(false, at: clock.now) }
        origin.waiting.append(transfer)
    }

    /// - Returns: Whether the transfer can start now.
    private func admit(_ transfer: Transfer, to origin: OriginCache.Origin) -> Bool {
        let decision = origin.shared.admit()
        guard decision != .wait else { return false }
        transfer.connection.admission = .init(origin: origin, isProbe: decision == .probe)
        return true
    }

    /// Records that a transfer has a connection, and lets others start.
    ///
    /// Called from inside libcurl, which takes no other transfer then.
    func noteConnected(_ transfer: Transfer, isNew: Bool) {
        guard let admission = transfer.connection.admission else { return }
        admission.origin.shared.noteConnected(isNew: isNew, isProbe: admission.isProbe)
        guard admission.isProbe else { return }
        transfer.connection.admission?.isProbe = false
        if isNew { awaitSettings(of: admission.origin) }
        release(admission.origin)
    }

    /// Records the end of a transfer, and lets another start.
    ///
    /// - Parameter isRefused: Whether libcurl failed to connect. If so, each waiting transfer tries to connect on its
    ///   own.
    func noteEnded(_ transfer: Transfer, isRefused: Bool) {
        guard let admission = transfer.connection.admission.take() else { return }
        admission.origin.shared.noteEnded(isProbe: admission.isProbe)
        if admission.isProbe, isRefused { releaseAll(admission.origin) } else { release(admission.origin) }
    }

    /// Lets all transfers start that wait for an origin, because each needs its own connection.
    func releaseAll(_ origin: OriginCache.Origin) { released += origin.waiting.removeAll() }

    /// Records that a server's HTTP/2 settings have arrived, or that the time for them is over.
    func noteSettled(_ origin: OriginCache.Origin) {
        origin.shared.noteSettled()
        release(origin)
    }

    /// Starts as many of an origin's waiting transfers as its connections have room for. May be called inside libcurl.
    func release(_ origin: OriginCache.Origin) {
        while let next = origin.waiting.first {
            if !next.isEnded {
                guard admit(next, to: origin) else { return }
                released.append(next)
            }
            _ = origin.waiting.popFirst()
        }
    }

    /// Starts the transfers whose wait for a connection is over.
    ///
    /// - Returns: Whether there were any.
    func addReleased() -> Bool {
        guard !released.isEmpty else { return false }
        let transfers = released
        released = []
        poller.noteProgress()
        for transfer in transfers where !transfer.isEnded { add(transfer) }
        return true
    }

    func restart(_ transfer: Transfer, _ kind: Attempts.Restart) {
        guard let handle = transfer.handle else { return }
        guard transfer.upload == nil || transfer.attempts.count == 0 || transfer.rewindBody() else {
            return end(transfer, transfer.outcome(of: CURLE_ABORTED_BY_CALLBACK), isDone: true)
        }
        // libcurl counts the connections from 0 again.
        transfer.connection.made = 0
        handle.last.openedSockets = []
        transfer.connection.addresses = []
        transfer.connection.nextLook = nil
        unsafe curl_multi_remove_handle(multi, handle.easy)
        if kind == .overFreshConnection { handle.turnOn(CURLOPT_FRESH_CONNECT) }
        if kind == .withCredentials { transfer.beginAnew() }
        if kind != .afterOthers { return add(transfer) }
        transfer.deadlines.suspendIdle(true, at: clock.now)
        handle.turnOff(CURLOPT_FRESH_CONNECT)
        noteEnded(transfer, isRefused: false)
        open(transfer)
    }

    private func add(_ transfer: Transfer) {
        transfer.timing.waited = .nanoseconds(clock.now - transfer.timing.begun)
        transfer.deadlines.suspendIdle(true, at: clock.now)
        do {
            try transfer.handle?.setTLSOptions()
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
