import Foundation
import Requests

extension Response<ResponseBody> {
    /// The maximum number of bytes to read for nothing.
    private static var maximumBytes: Int { 64 << 10 }

    /// The maximum time to wait for the rest of a body: about the time for a new connection.
    private static var drainTimeout: Duration { .milliseconds(250) }

    /// Reads the rest of a body that isn't needed, so that the connection can be reused, or closes the connection if
    /// that would take too long.
    ///
    /// - Parameters:
    ///   - method: The request's method.
    ///   - clock: The clock of the wait.
    func discard(of method: HTTPMethod, on clock: any Clock<Duration>) async {
        defer { content.cancel() }
        guard !content.isComplete, head.expectedBytes(to: method) ?? 0 <= Self.maximumBytes else { return }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { _ = try? await content.collect(upTo: Self.maximumBytes) }
            group.addTask { try? await clock.sleep(for: Self.drainTimeout) }
            await group.next()
            // A canceled reader cancels the body and returns immediately.
            group.cancelAll()
        }
    }
}

extension Response<ResponseBody> {
    /// Reads the body into memory.
    ///
    /// If the length is too large, fails before it reads the body, which may take long to arrive.
    ///
    /// - Parameters:
    ///   - maximumBytes: The maximum size of the body.
    ///   - method: The request's method.
    func collect(upTo maximumBytes: Int, of method: HTTPMethod) async throws -> Data {
        if let length = head.expectedBytes(to: method), length > maximumBytes {
            content.cancel()
            throw TransportError.bodyTooLarge(maximumBytes, from: head.url)
        }
        return try await content.collect(upTo: maximumBytes)
    }
    /// The measurements after the end of the body.
    var finalMetrics: TransferMetrics.Boxed? { content.boxedMetrics ?? boxedMetrics }

    /// Returns the response with the value that was made from its body.
    func replacingReadBody<Value>(with value: Value) -> Response<Value> {
        Response<Value>(head: head, content: value, history: history, boxedMetrics: finalMetrics)
    }
}
