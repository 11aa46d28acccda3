import Foundation
import Requests
import Synchronization

/// A signature that may cover the body.
///
/// A client computes the digest of a large body away from the caller's thread.
struct SigningFlow: OfflineFlow {
    /// Signs the request. Throws `CancellationError` when the closure returns `false`.
    let sign: @Sendable (inout PreparedRequest, _ isWanted: () -> Bool) throws -> Void

    func authenticate(_ request: inout PreparedRequest) throws { try sign(&request) { true } }

    func start(_ request: inout PreparedRequest) async throws {
        guard !request.body.isDigestedAtOnce else { return try authenticate(&request) }
        let isCanceled = Flag()
        request = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { [request] continuation in
                // Reading a file or a stream may block.
                DispatchQueue.global().async {
                    var signed = request
                    let result = Result { try sign(&signed) { !isCanceled.isSet.load(ordering: .relaxed) } }
                    continuation.resume(with: result.map { signed })
                }
            }
        } onCancel: {
            isCanceled.isSet.store(true, ordering: .relaxed)
        }
    }
}

private final class Flag: Sendable {
    let isSet = Atomic(false)
}

extension RequestBody {
    private static let chunkSize = 256 << 10

    fileprivate var isDigestedAtOnce: Bool { isNone || data.map { $0.count <= RequestBody.chunkSize } ?? false }

    /// Returns the digest of the whole body, in bounded memory.
    ///
    /// - Parameter isWanted: Called between chunks of a file or a stream.
    /// - Returns: `nil` if the body can be read only once, or is a sequence.
    func digest(_ algorithm: SHA2.Algorithm, while isWanted: () -> Bool) throws -> [UInt8]? {
        try validate()
        var hasher = SHA2.Hasher(algorithm)
        if isNone || data != nil {
            hasher.update(data ?? Data())
            return hasher.finalize()
        }
        guard isReplayable, let stream = makeInputStream() else { return nil }
        var buffer = [UInt8](repeating: 0, count: RequestBody.chunkSize)
        stream.open()
        defer { stream.close() }
        while isWanted() {
            let count = unsafe stream.read(&buffer, maxLength: buffer.count)
            guard count >= 0 else { throw stream.reportedError ?? CocoaError(.fileReadUnknown) }
            if count == 0 { return hasher.finalize() }
            hasher.update(buffer[..<count])
        }
        throw CancellationError()
    }
}
