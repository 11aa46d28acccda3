import Foundation
import RequestsClient
import Synchronization

/// A transport whose responses a closure makes. `RequestsTesting` isn't compiled for this package.
final class AnsweringTransport: Transport {
    let capabilities: TransportCapabilities = []
    private let sent = Mutex(0)
    private let respond: @Sendable () async -> (status: Int, body: String)

    /// The number of requests so far.
    var count: Int { sent.withLock { $0 } }

    init(_ respond: @escaping @Sendable () async -> (status: Int, body: String)) { self.respond = respond }

    func send(_ request: PreparedRequest, context: SendContext) async throws -> Response<ResponseBody> {
        sent.withLock { $0 += 1 }
        let (status, body) = await respond()
        let head = try ResponseHead(statusCode: status, url: request.url)
        return Response(head: head, content: ResponseBody(Data(body.utf8)))
    }
}
