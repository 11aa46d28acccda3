import Foundation
import Requests

/// A signature that may cover the body.
///
/// A client signs away from the caller's actor, because the digest of a large body takes time.
struct SigningFlow: OfflineFlow {
    let sign: @Sendable (inout PreparedRequest) throws -> Void

    func authenticate(_ request: inout PreparedRequest) throws { try sign(&request) }

    @concurrent
    func start(_ request: inout PreparedRequest) async throws { try sign(&request) }
}

extension RequestBody {
    /// Returns the digest of the whole body, in bounded memory. `nil` if it can be read only once, or is a sequence.
    ///
    /// - Throws: An error of reading the body, or `CancellationError`.
    func digest(_ algorithm: SHA2.Algorithm) throws -> [UInt8]? {
        try validate()
        var hasher = SHA2.Hasher(algorithm)
        if isNone || data != nil {
            hasher.update(data ?? Data())
            return hasher.finalize()
        }
        guard isReplayable, let stream = makeInputStream() else { return nil }
        var buffer = [UInt8](repeating: 0, count: 256 << 10)
        stream.open()
        defer { stream.close() }
        while true {
            try Task.checkCancellation()
            let count = unsafe stream.read(&buffer, maxLength: buffer.count)
            guard count >= 0 else { throw stream.reportedError ?? CocoaError(.fileReadUnknown) }
            if count == 0 { return hasher.finalize() }
            hasher.update(buffer[..<count])
        }
    }
}
