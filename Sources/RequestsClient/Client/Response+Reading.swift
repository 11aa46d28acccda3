import Requests

extension Response<ResponseBody> {
    /// The most bytes of an unread body to drain, so that its connection can be reused.
    private static let drainedBytes = 64 << 10

    /// The most time to drain it: about as long as a new connection takes.
    static let drainTimeout = Duration.milliseconds(250)

    /// Reads the rest of a body that isn't needed, so that the connection can be reused, or closes the connection if
    /// there are more bytes or it takes longer.
    ///
    /// - Parameters:
    ///   - method: The request's method.
    ///   - clock: The clock of the wait.
    func discard(within timeout: Duration, of method: HTTPMethod, on clock: any Clock<Duration>) async {
        defer { content.cancel() }
        let maximumBytes = Self.drainedBytes
        guard !content.isComplete, head.expectedBytes(to: method) ?? 0 <= maximumBytes, timeout > .zero else { return }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { _ = try? await content.collect(upTo: maximumBytes) }
            group.addTask { try? await clock.sleep(for: timeout) }
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

extension Response where Content == ResponseBody {
    /// Creates a response to a request, for middleware and transports that respond themselves.
    ///
    /// - Parameters:
    ///   - status: The status code.
    ///   - header: The header. Default: empty.
    ///   - body: The body. Default: empty.
    ///   - request: The request.
    /// - Throws: `RequestError` if the status doesn't have three digits.
    public init(status: Int, header: Header = .empty, body: Data = Data(), for request: PreparedRequest) throws {
        try self.init(status: status, header: header, content: ResponseBody(body), for: request)
    }

    package init(status: Int, header: Header, content: ResponseBody, for request: PreparedRequest) throws {
        let head = try ResponseHead(statusCode: status, header: header, url: request.url, httpVersion: .http1_1)
        self.init(head: head, content: content)
    }
}
