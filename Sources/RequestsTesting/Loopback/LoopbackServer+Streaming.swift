import Requests

extension LoopbackServer {
    /// A writer for the body of a streamed response, which sends chunks (RFC 9112 §7.1) or DATA frames (RFC 9113 §6.1).
    public struct BodyWriter: Sendable {
        private let send: @Sendable (Data) throws -> Void

        /// Creates a writer from a closure that sends data, which is never empty.
        package init(_ send: @escaping @Sendable (Data) throws -> Void) {
            self.send = send
        }

        /// Sends text in UTF-8 immediately.
        public func write(_ text: String) throws {
            try write(Data(text.utf8))
        }

        /// Sends bytes immediately.
        public func write(_ data: Data) throws {
            if !data.isEmpty { try send(data) }
        }

        /// Sends a server-sent event immediately.
        ///
        /// - Parameters:
        ///   - data: The data. Each line becomes a `data` field.
        ///   - event: The type of the event. Default: `nil`, which means `message`.
        ///   - id: The identifier. Default: none.
        public func write(event: String? = nil, id: String? = nil, data: String) throws {
            let lines = data.split(separator: "\n", omittingEmptySubsequences: false).map { "data: \($0)\n" }
            try write((event.map { "event: \($0)\n" } ?? "") + (id.map { "id: \($0)\n" } ?? "") + lines.joined() + "\n")
        }
    }
}

extension LoopbackServer.Answer {
    /// A response whose body is written while the client reads it.
    ///
    /// ```swift
    /// let server = try LoopbackServer.http { _ in
    ///     .streaming(200, header: [.contentType("text/event-stream")]) { body in
    ///         for number in 1...3 { try body.write(data: "\(number)") }
    ///     }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - statusCode: The status code.
    ///   - header: The header. Default: empty.
    ///   - write: Writes the body on the connection's thread. If it throws, the connection is closed before the end of
    ///     the body; over HTTP/2, the stream is reset.
    public static func streaming(
        _ statusCode: Int,
        header: Header = .empty,
        _ write: @escaping @Sendable (LoopbackServer.BodyWriter) throws -> Void
    ) -> Self {
        var answer = Self(statusCode, header: header)
        answer.stream = write
        return answer
    }
}
