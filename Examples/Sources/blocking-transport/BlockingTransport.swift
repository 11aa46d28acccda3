import Foundation
import RequestsClient

/// Sends each request over its own blocking socket.
struct BlockingTransport: ExchangeTransport {
    let runner = ExchangeRunner(capabilities: [])

    func perform(_ exchange: Exchange) async throws {
        let request = exchange.request
        // Not on a thread of the concurrency pool: while it is blocked, other tasks would wait.
        let bytes = try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                let port = request.url.origin.port
                continuation.resume(with: Result { try Socket.talk(message(request), toPort: port) })
            }
        }
        guard let end = bytes.firstRange(of: Data("\r\n\r\n".utf8)) else {
            throw TransportError(code: .malformed, message: "the head has no end", phase: .receiving)
        }
        try exchange.respond(with: head(bytes[..<end.lowerBound], of: request))
        try await exchange.write(bytes[end.upperBound...])
    }

    private func message(_ request: PreparedRequest) -> Data {
        let body = request.body.data ?? Data()
        var lines = ["\(request.method) \(request.url.target) HTTP/1.1", "Host: \(request.url.authority)"]
        lines += request.header.map { "\($0.name): \($0.value)" }
        lines += ["Connection: close", "Content-Length: \(body.count)", "", ""]
        return Data(lines.joined(separator: "\r\n").utf8) + body
    }

    private func head(_ text: Data, of request: PreparedRequest) throws -> ResponseHead {
        let lines = String(decoding: text, as: UTF8.self).components(separatedBy: "\r\n")
        let fields = lines.dropFirst().map { $0.split(separator: ":", maxSplits: 1).map(String.init) }
        return try ResponseHead(
            statusCode: Int(lines[0].split(separator: " ")[1]) ?? 0,
            header: Header(fields.filter { $0.count == 2 }.map { Field(name: Field.Name($0[0]), value: $0[1]) }),
            url: request.url
        )
    }
}
