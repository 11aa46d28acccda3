import AsyncAlgorithms
import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOHTTPCompression
import Requests

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A transport over AsyncHTTPClient, which speaks HTTP with SwiftNIO.
public struct AsyncHTTPClientTransport: Requests.Transport {
    private let pool: ConnectionPool

    /// Creates a transport with connections of its own.
    ///
    /// - Parameter configuration: The library's own. What a transport must not do is turned off in it.
    public init(configuration: HTTPClient.Configuration = HTTPClient.Configuration()) {
        var configuration = configuration
        configuration.redirectConfiguration = .disallow
        // A body that grows more than that is given up; what DEFLATE makes of zeros grows a thousandfold.
        configuration.decompression = .enabled(limit: .ratio(500))
        configuration.connectionPool.retryConnectionEstablishment = false
        pool = ConnectionPool(configuration)
    }

    /// What this transport can do.
    public var capabilities: TransportCapabilities { [.streamedRequestBodies, .backPressure, .orderedFields, .http2] }

    /// Makes one exchange.
    public func send(_ request: PreparedRequest) async throws -> Response<ResponseBody> {
        try request.validate()
        try refuseUnsupported(request)
        try Task.checkCancellation()
        let clock = IdleClock(request.options.timeouts)
        let outgoing = try HTTPClientRequest(request, touching: clock)
        let (heads, head) = AsyncThrowingStream.makeStream(of: ResponseHead.self, throwing: (any Error).self)
        let chunks = AsyncThrowingChannel<Data, any Error>()
        // One task owns the exchange: whatever cancels it frees the connection.
        let exchange = Task { [pool] in
            do {
                try await clock.limit {
                    let response = try await pool.execute(outgoing)
                    clock.touch()
                    head.yield(try ResponseHead(response, to: request))
                    for try await buffer in response.bytes(for: request) {
                        // The channel takes a chunk when it is read, and nothing is received meanwhile.
                        await clock.pause { await chunks.send(Data(buffer.readableBytesView)) }
                    }
                    // A sequence may take its reader's cancellation for its end: here it is not.
                    try Task.checkCancellation()
                }
                chunks.finish()
            } catch {
                let error = pool.isShutDown ? HTTPClientError.alreadyShutdown : error
                head.finish(throwing: TransportError.beforeHead(error, request))
                chunks.fail(TransportError.insideBody(error, request))
            }
        }
        return try await withTaskCancellationHandler {
            for try await head in heads {
                return Response(head: head, content: ResponseBody(chunks, onCancel: { exchange.cancel() }))
            }
            throw CancellationError()
        } onCancel: {
            exchange.cancel()
        }
    }

    /// Ends what is in flight with ``TransportError/Code/shutDown`` and refuses what comes later.
    public func shutdown() async {
        await pool.shutDown()
    }

    private func refuseUnsupported(_ request: PreparedRequest) throws {
        guard !pool.isShutDown else {
            throw TransportError(code: .shutDown, message: "the transport was shut down", phase: .preparing)
        }
        if request.options.timeouts.connect != nil {
            throw TransportError.unsupported("the connect timeout is the client's here; use the idle or the total one")
        }
        if request.options.cachePolicy == .returnCacheDataDontLoad {
            throw TransportError.unsupported("there is no cache, so cachePolicy returnCacheDataDontLoad cannot be met")
        }
        if request.method == .connect || request.method == .head && !request.body.isNone {
            throw TransportError.unsupported("\(request.method) with \(request.body) is not an exchange of HTTP")
        }
    }
}
