import Foundation
import Requests

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A transport over Foundation's URLSession.
///
/// On Linux `CurlTransport` is the one to use: Foundation's session there cannot stop receiving while nobody reads,
/// has no connect timeout, keeps neither order nor repeats of fields, and replies with trailers, and some malformed ones, end
/// the process before any code of ours can see them.
public struct URLSessionTransport: Transport {
    private let engine: SessionEngine

    /// Creates a transport with connections of its own.
    ///
    /// - Throws: `TransportError.Code.unsupported` for what URLSession cannot do on this platform.
    public init(configuration: Configuration = Configuration()) throws {
        try configuration.publicKeyPins.validate()
        try Header.check(userAgent: configuration.userAgent)
        try PlatformSession.refuseUnsupported(configuration)
        engine = SessionEngine(configuration, over: .ephemeral)
    }

    init(engine: SessionEngine) {
        self.engine = engine
    }

    /// What this transport can do.
    public var capabilities: TransportCapabilities { PlatformSession.capabilities }

    /// Makes one exchange.
    public func send(_ request: PreparedRequest) async throws -> Response<ResponseBody> {
        // First, because it knows what to use in place of URLSession.
        try PlatformSession.refuseUnsupported(request)
        guard request.method != .get || request.body.isNone else {
            throw TransportError.unsupported("URLSession sends no body with the method GET; use POST, or CurlTransport")
        }
        try request.validate(for: capabilities)
        try engine.configuration.publicKeyPins.check(request.url)
        let exchange = try engine.makeExchange(for: request)
        let head = try await withTaskCancellationHandler {
            exchange.start()
            return try await exchange.head.take()
        } onCancel: {
            exchange.end(.failure(CancellationError()))
        }
        let source = ChannelSource(exchange.channel, owner: engine, isDecoded: exchange.isDecoded)
        let body = ResponseBody(source: source)
        return Response(head: head, content: body, metrics: body.metrics)
    }

    /// Ends what is in flight with `TransportError.Code.shutDown` and refuses what comes later.
    public func shutdown() async {
        engine.shutDown()
    }
}
