import Foundation
import HTTPTypes
import HummingbirdCore
import NIOCore
import RequestsHTTPTypes
import RequestsTesting
import ServiceLifecycle
import Synchronization

/// The errors of a stub's closures.
final class Failures: Sendable {
    private let errors = Mutex<[any Error]>([])

    var first: (any Error)? { errors.withLock { $0.first } }

    func append(_ error: any Error) { errors.withLock { $0.append(error) } }
}

extension StubTransport {
    /// Writes the stub's response to a request that a server received. Stops when the server is shut down.
    ///
    /// - Throws: The error of a reply that is a failure, which ends the connection or stream.
    @concurrent func answer(
        _ request: HummingbirdCore.Request,
        _ writer: consuming ResponseWriter,
        _ failures: Failures
    ) async throws {
        let response: Requests.Response<RequestsClient.ResponseBody>
        do {
            response = try await cancelWhenGracefulShutdown {
                let body = Data(try await request.body.collect(upTo: .max).readableBytesView)
                return try await send(PreparedRequest(request, body))
            }
        } catch let error as TransportError where error.code == .unmatched {
            let text = ByteBuffer(string: error.message)
            let fields: HTTPFields = [
                .contentType: "text/plain; charset=utf-8", .contentLength: "\(text.readableBytes)",
            ]
            let head = HTTPResponse(status: .notImplemented, headerFields: fields)
            return try await writer.write(response: head, body: HummingbirdCore.ResponseBody(byteBuffer: text))
        } catch let error where !(error is TransportError) && !(error is CancellationError) {
            failures.append(error)
            let head = HTTPResponse(status: .internalServerError, headerFields: [.contentLength: "0"])
            return try await writer.writeResponse(head)
        }
        // A client may need the head before a slow body begins.
        var head = try response.head.httpResponse()
        // Without a length, SwiftNIO would send the end of a chunked body.
        if request.method == .head, head.headerFields[.contentLength] == nil { head.headerFields[.contentLength] = "0" }
        var body = try await writer.writeHead(head)
        if request.method != .head {
            try await withGracefulShutdownHandler {
                for try await chunk in response.content { try await body.write(ByteBuffer(bytes: chunk)) }
            } onGracefulShutdown: {
                response.content.cancel()
            }
        }
        try await body.finish(response.content.trailers?.httpFields())
    }
}

extension PreparedRequest {
    fileprivate init(_ request: HummingbirdCore.Request, _ body: Data) throws {
        var head = request.head
        // The transport frames the message.
        head.headerFields[.contentLength] = nil
        head.headerFields[.transferEncoding] = nil
        try self.init(head, body: body.isEmpty ? .none : .data(body))
    }
}
