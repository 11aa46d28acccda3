/// Carries one request to a server and brings one response back.
///
/// A transport follows no redirect, repeats no request, answers no challenge and keeps no cookie: policies do that,
/// the same way over every transport. What it cannot do it refuses before a byte is sent, with
/// ``TransportError/Code/unsupported``. Its errors are ``TransportError``, ``RequestError`` for a request that is not
/// one, or `CancellationError`.
public protocol Transport: Sendable {
    /// What this transport can do.
    var capabilities: TransportCapabilities { get }

    /// Makes one exchange.
    ///
    /// - Returns: The response as soon as its head is there; the body follows as it is read.
    func send(_ request: PreparedRequest) async throws -> Response<ResponseBody>

    /// Ends what is in flight with ``TransportError/Code/shutDown`` and refuses what comes later. May be called twice.
    ///
    /// Not calling it is fine: dropping the last copy frees everything.
    func shutdown() async
}

extension Transport {
    /// Does nothing.
    public func shutdown() async {}
}
