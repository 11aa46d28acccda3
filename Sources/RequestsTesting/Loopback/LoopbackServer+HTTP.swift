import Requests
import RequestsClient
import RequestsSystem

extension LoopbackServer {
    /// A request that the server received.
    public struct Request: Sendable {
        /// The request line without its line break, such as `GET /users HTTP/1.1`.
        public let line: String
        /// The header fields, in order.
        public let header: Header
        /// The body, decoded if it was chunked.
        public let body: Data

        /// The trailer fields after a chunked body (RFC 9112 §7.1.2).
        public let trailers: Header

        package init(line: String, header: Header, body: Data, trailers: Header = .empty) {
            (self.line, self.header, self.body, self.trailers) = (line, header, body, trailers)
        }

        /// The method in the request line.
        public var method: HTTPMethod { HTTPMethod(rawValue: String(line.prefix { $0 != " " })) }
        /// The path and the query in the request line.
        public var target: String { line.split(separator: " ").dropFirst().first.map(String.init) ?? "" }
        /// The path in the request line, without the query.
        public var path: String { String(target.prefix { $0 != "?" }) }
    }

    /// A response for the server to send.
    public struct Answer: Sendable {
        /// The status code, such as 200.
        public var statusCode: Int
        /// The header. The server adds a missing `Content-Length`.
        public var header: Header
        /// The bytes of the body.
        public var body: Data
        /// Writes the body in place of ``body``, if set.
        package var stream: (@Sendable (BodyWriter) throws -> Void)?
        /// The informational responses before the response.
        var informational: [ResponseHead] = []
        /// Returns the trailers after a streamed body.
        var trailers: @Sendable () -> Header? = { nil }

        /// Creates a response. Default: an empty header and an empty body.
        public init(_ statusCode: Int, header: Header = .empty, body: Data = Data()) {
            self.statusCode = statusCode
            self.header = header
            self.body = body
        }

        /// Whether a response with this status code can have a body.
        package var mayHaveBody: Bool { statusCode >= 200 && statusCode != 204 && statusCode != 304 }

        /// The header with `Content-Length`, unless the body is streamed or the status allows no such field.
        package var headerWithLength: Header {
            guard stream == nil, statusCode >= 200, statusCode != 204, !header.contains(.contentLength) else {
                return header
            }
            var header = header
            header.add(Field(name: .contentLength, value: "\(body.count)"))
            return header
        }

        /// Creates a response with text.
        public init(_ statusCode: Int, _ type: MediaType, _ text: String) {
            self.init(statusCode, header: [.contentType(type)], body: Data(text.utf8))
        }
    }

    /// Starts an HTTP/1.1 server that keeps connections open between requests.
    ///
    /// - Parameters:
    ///   - records: Whether received requests are stored in ``requests``. Default: `false`.
    ///   - handler: Returns the response to a request. Called on the connection's thread. If it throws, the response
    ///     has the status 500 and the error's description, and ``errors`` contains the error.
    public static func http(
        recording records: Bool = false,
        _ handler: @escaping @Sendable (Request) throws -> Answer
    ) throws -> LoopbackServer {
        let log = Log(recording: records)
        return try LoopbackServer(log) { connection in
            while let request = try connection.readRequest() {
                log.add(request)
                let answer = Result { try handler(request) }
                try connection.write(log.answer(answer), toMethod: request.method)
            }
        }
    }
}

extension LoopbackServer.Connection {
    /// Reads a request, including its body.
    ///
    /// - Returns: The request, or `nil` if the client closed the connection before sending one.
    public func readRequest() throws -> LoopbackServer.Request? {
        guard let head = try readHead() else { return nil }
        let lines = head.split(separator: "\r\n").map(String.init)
        let header = LoopbackServer.Connection.header(of: lines.dropFirst())
        var body = Data()
        var trailers = Header.empty
        if header[.transferEncoding] != nil {
            (body, trailers) = try readChunks()
        } else if let length = header.length.bytes.map({ Int(clamping: $0) }) {
            body = Data(try readBytes(length))
        }
        return LoopbackServer.Request(line: lines.first ?? "", header: header, body: body, trailers: trailers)
    }

    private static func header(of lines: some Sequence<String>) -> Header {
        Header(
            lines.map { line in
                let colon = line.firstIndex(of: ":") ?? line.endIndex
                return Field(name: Field.Name(String(line[..<colon])), value: String(line[colon...].dropFirst()))
            }
        )
    }

    /// Reads the request line and header, and leaves the body unread.
    ///
    /// - Returns: The text before the empty line, or `nil` if the client closed the connection first.
    public func readHead() throws -> String? {
        var bytes: [UInt8] = []
        let end = Array("\r\n\r\n".utf8)
        while true {
            let more = try read()
            guard !more.isEmpty else { return nil }
            let start = max(0, bytes.count - 3)
            bytes += more
            guard let found = bytes[start...].firstRange(of: end) else { continue }
            putBack(bytes[found.upperBound...])
            return String(decoding: bytes[..<found.lowerBound], as: UTF8.self)
        }
    }

    /// Reads a number of bytes.
    ///
    /// - Throws: `POSIXError` with `ECONNRESET` if the client closes the connection first.
    public func readBytes(_ count: Int) throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            let more = try read()
            guard !more.isEmpty else { throw POSIXError(.ECONNRESET) }
            bytes += more
        }
        putBack(bytes[count...])
        return Array(bytes[..<count])
    }

    private func readChunks() throws -> (body: Data, trailers: Header) {
        var body = Data()
        while true {
            let size = Int(try readLine().prefix { $0 != ";" }, radix: 16) ?? 0
            if size == 0 { break }
            body += try readBytes(size)
            _ = try readLine()
        }
        var lines: [String] = []
        while case let line = try readLine(), !line.isEmpty { lines.append(line) }
        return (body, LoopbackServer.Connection.header(of: lines))
    }

    private func readLine() throws -> String {
        var line: [UInt8] = []
        while true {
            let byte = try readBytes(1)
            if byte == [UInt8(ascii: "\n")] { break }
            line += byte
        }
        return String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line[...], as: UTF8.self)
    }

    /// Writes a well-formed response.
    ///
    /// - Parameters:
    ///   - answer: The response.
    ///   - method: The method of the request. For `HEAD`, the body is omitted. Default: `GET`.
    public func write(_ answer: LoopbackServer.Answer, toMethod method: HTTPMethod = .get) throws {
        func lines(_ header: Header) -> String { header.map { "\($0.name): \($0.value)\r\n" }.joined() }
        func head(_ statusCode: Int, _ header: Header) -> String { "HTTP/1.1 \(statusCode) Status\r\n\(lines(header))" }
        for early in answer.informational { try write("\(head(early.statusCode, early.header))\r\n") }
        let header = method == .head && answer.body.isEmpty ? answer.header : answer.headerWithLength
        guard let stream = answer.stream else {
            let body = method == .head ? Data() : answer.body
            return try write(Array("\(head(answer.statusCode, header))\r\n".utf8) + body)
        }
        try write("\(head(answer.statusCode, header))Transfer-Encoding: chunked\r\n\r\n")
        guard method != .head else { return }
        try stream(
            LoopbackServer.BodyWriter { [self] data in
                try write(Data("\(String(data.count, radix: 16))\r\n".utf8) + data + Data("\r\n".utf8))
            }
        )
        // An empty chunk ends the body.
        try write("0\r\n\(lines(answer.trailers() ?? .empty))\r\n")
    }
}
