import Foundation
import Requests
import RequestsClient
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
        var sent = request
        let number = WireTransport.messages.withLock { messages in
            messages.append(message)
            return messages.count - 1
        }
        sent.url = try RequestURL("\(WireTransport.server.get().baseURL)/\(number)")
        var response = try await CurlTransport.shared.send(sent, context: context)
        response.head.url = request.url
        return response
    }

    func shutdown() async {}

    private static let messages = Mutex<[Data]>([])

    /// Responds to a path with the message that has its number, and closes the connection, because a message can be
    /// shorter than its `Content-Length`.
    private static let server = Result {
        try LoopbackServer { connection in
            guard let request = try connection.readRequest() else { return }
            let number = Int(request.path.dropFirst()) ?? 0
            try connection.write(messages.withLock { $0[number] })
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
