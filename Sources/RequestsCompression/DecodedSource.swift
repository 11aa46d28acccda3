import Requests
import RequestsClient

/// A response body that is decoded as it is read, so unread data stays encoded.
package actor DecodedSource: ForwardingSource {
    package nonisolated let base: any ResponseBodySource
    private let limits: Limits
    private let request: PreparedRequest
    private var stages: [DecodingStage]
    private var received: Int64 = 0
    private var isReading = false
    /// Set by ``cancel()``, after which no data is returned, not even received data.
    private let isCanceled = Locked(false)
    /// Whether the reader has read the whole body.
    private let hasEnded = Locked(false)

    /// The size up to which a body may have any ratio.
    private static let freeSize: Int64 = 1 << 20
    /// The maximum number of encoded bytes for each decoded byte, because an encoding can have endless empty parts.
    private static let maximumOverhead: Int64 = 64

    /// The limits for a decoded body.
    package struct Limits: Sendable {
        /// The maximum number of decoded bytes for each received byte, for bodies above 1 MiB.
        var ratio: Int
        /// The maximum number of decoded bytes. `nil` for no limit.
        var bytes: Int64?

        package init(ratio: Int = 250, bytes: Int64? = nil) { (self.ratio, self.bytes) = (ratio, bytes) }
    }

    package init(
        _ base: any ResponseBodySource,
        _ codings: [ContentEncoding],
        _ limits: Limits,
        for request: PreparedRequest
    ) throws(TransportError) {
        self.base = base
        self.limits = limits
        self.request = request
        var stages: [DecodingStage] = []
        for coding in codings { stages.append(DecodingStage(coding.name, try coding.makeDecoder())) }
        self.stages = stages
    }

    package func next() async throws -> Data? {
        guard !isReading else { throw TransportError.readTwice }
        isReading = true
        defer { isReading = false }
        try checkCancellation()
        guard !hasEnded.withLock({ $0 }) else { return nil }
        do {
            let chunk = try await pull(stages.count - 1)
            try checkCancellation()
            if chunk == nil { hasEnded.withLock { $0 = true } }
            return chunk
        } catch let fault as DecodingFault {
            cancel()
            throw failed(.decoding, fault.reason)
        }
    }

    /// Returns the next piece of a stage, which reads from the stage before it. The first stage reads the connection.
    private func pull(_ index: Int) async throws -> Data? {
        guard index >= 0 else {
            let chunk = try await base.next()
            received += Int64(chunk?.count ?? 0)
            return chunk
        }
        while true {
            // Checked in each round, because the encoded data may never end.
            try checkCancellation()
            try Task.checkCancellation()
            let chunk = try stages[index].decode()
            try checkLimits(decoded: stages[index].decoded, consumed: stages[index].consumed)
            if let chunk { return chunk }
            guard let more = try await pull(index - 1) else {
                try stages[index].finish()
                return nil
            }
            stages[index].append(more)
        }
    }

    /// Checks the limits for each stage, because a later stage can hide the work of an earlier one.
    private func checkLimits(decoded: Int64, consumed: Int64) throws {
        if let maximum = limits.bytes, decoded > maximum {
            cancel()
            throw failed(.tooLarge, "the decoded body exceeds decompression.maximumBytes (\(maximum))")
        }
        let (allowed, overflow) = received.multipliedReportingOverflow(by: Int64(limits.ratio))
        if decoded > DecodedSource.freeSize, !overflow, decoded > allowed {
            cancel()
            throw failed(.tooLarge, "the decoded body exceeds decompression.maximumRatio (\(limits.ratio))")
        }
        if (consumed - DecodedSource.freeSize) / DecodedSource.maximumOverhead > decoded {
            cancel()
            throw failed(
                .tooLarge,
                "the body has over \(DecodedSource.maximumOverhead) encoded bytes for each decoded one, like an attack"
            )
        }
    }

    private nonisolated func checkCancellation() throws {
        if isCanceled.withLock({ $0 }) { throw CancellationError() }
    }

    private func failed(_ code: TransportError.Code, _ reason: String) -> TransportError {
        TransportError(code, of: request, reason, phase: .receiving)
    }

    package func collect(upTo maximumBytes: Int) async throws -> Data {
        try await collectChunks(upTo: maximumBytes, from: request.url)
    }

    package nonisolated func cancel() {
        isCanceled.withLock { $0 = true }
        base.cancel()
    }

    package nonisolated var trailers: Header? { hasEnded.withLock { $0 } ? base.trailers : nil }
    package nonisolated var isDecoded: Bool { true }
    package nonisolated var isComplete: Bool { false }
    package nonisolated var isRead: Bool { base.isRead && hasEnded.withLock { $0 } }
}
