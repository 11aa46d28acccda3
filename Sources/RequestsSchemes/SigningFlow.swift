import Requests
import RequestsSystem

/// An authentication flow that signs requests, including their bodies.
///
/// Signing runs outside the caller's actor, because computing the digest of a large body takes time.
struct SigningFlow: OfflineFlow {
    let sign: @Sendable (inout PreparedRequest) throws -> Void

    func authenticate(_ request: inout PreparedRequest) throws { try sign(&request) }

    @concurrent
    func start(_ request: inout PreparedRequest) async throws { try sign(&request) }
}

extension RequestBody {
    /// Returns the digest of the whole body, computed in bounded memory. `nil` if the body can be read only once or is
    /// a sequence of chunks.
    ///
    /// - Throws: An error of reading the body, or `CancellationError`.
    func digest(_ algorithm: SHA2.Algorithm) throws -> [UInt8]? {
        try validate()
        var hasher = SHA2.Hasher(algorithm)
        if isNone || data != nil {
            hasher.update(data ?? Data())
            return hasher.finalize()
        }
        if case .sequence = source { return nil }
        guard isReplayable else { return nil }
        var bytes = try BodyBytes(self) { try OpenFile.reading($0.url.path, from: $0.offset, count: $0.length) }
        try Task.checkCancellation()
        while let chunk = try bytes.next(upTo: 256 << 10) {
            hasher.update(chunk)
            try Task.checkCancellation()
        }
        return hasher.finalize()
    }
}
