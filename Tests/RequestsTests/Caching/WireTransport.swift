import RequestsCurl
import RequestsTesting
import Synchronization

/// Sends what a stub would respond over HTTP, so that the same tests show what a real transport changes on the way.
///
/// With `REQUESTS_CACHE_OVER=libcurl` in the environment, all tests use it. Errors and bodies that aren't complete stay
/// the stub's.
struct WireTransport: Transport {
    static let isUsed = ProcessInfo.processInfo.environment["REQUESTS_CACHE_OVER"] == "libcurl"

    let stub: StubTransport

    var capabilities: TransportCapabilities { CurlTransport.shared.capabilities }

    func send(_ request: PreparedRequest, context: SendContext) async throws -> Response<ResponseBody> {
        let stubbed = try await stub.send(request, context: context)
        guard stubbed.content.isComplete else { return stubbed }
        let body = try await stubbed.content.collect(upTo: .max)
        let message = WireTransport.message(stubbed.head, body, stubbed.content.trailers, to: request.method)
        let isOfOtherLength =
            !stubbed.head.isWithoutBody(to: request.method) && stubbed.head.header.contains(.contentLength)
            && stubbed.head.contentLength != Int64(body.count)
        var sent = request
        let number = WireTransport.messages.withLock { messages in
            messages.append((message, isOfOtherLength))
            return messages.count - 1
        }
        sent.url = try RequestURL("\(WireTransport.server.get().baseURL)/\(number)")
        var response = try await CurlTransport.shared.send(sent, context: context)
        response.head.url = request.url
        return response
    }

    func shutdown() async {}

    private static let messages = Mutex<[(bytes: Data, isLast: Bool)]>([])

    /// Responds to a path with the message that has its number. After a message that has another length than it says,
    /// it closes the connection.
    private static let server = Result {
        try LoopbackServer { connection in
            while let request = try connection.readRequest() {
                let number = Int(request.path.dropFirst()) ?? 0
                let message = messages.withLock { $0[number] }
                try connection.write(message.bytes)
                if message.isLast { return }
            }
        }
    }

    /// Returns a response as it is sent, in one chunk unless it has a `Content-Length` (RFC 9112 §6.3, §7.1).
    private static func message(
        _ head: ResponseHead,
        _ body: Data,
        _ trailers: Header?,
        to method: HTTPMethod
    ) -> Data {
        let hasBody = !head.isWithoutBody(to: method)
        let isChunked = hasBody && (trailers != nil || !head.header.contains(.contentLength))
        var header = head.header
        if isChunked { header.set(Field(name: .transferEncoding, value: "chunked")) }
        let lines = { (fields: Header) in fields.map { "\($0.name): \($0.value)\r\n" }.joined() + "\r\n" }
        let start = Data("HTTP/1.1 \(head.statusCode) Status\r\n\(lines(header))".utf8)
        guard hasBody else { return start }
        guard isChunked else { return start + body }
        let chunk = body.isEmpty ? Data() : Data("\(String(body.count, radix: 16))\r\n".utf8) + body + Data("\r\n".utf8)
        return start + chunk + Data("0\r\n\(lines(trailers ?? [:]))".utf8)
    }
}
