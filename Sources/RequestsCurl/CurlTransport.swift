import CRequestsCurl
import Foundation
import Requests

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A transport over libcurl.
///
/// One thread drives all exchanges of a transport; a copy shares it. Dropping the last copy, and the last response
/// body that came from it, ends the thread and closes the connections.
///
/// A process that forks without `exec` must not use, in the child, a transport made before the fork.
public struct CurlTransport: Transport {
    /// A transport with the default configuration.
    public static let shared = CurlTransport(engine: Result { () throws(TransportError) in try CurlEngine(.init()) })

    private let engine: Result<CurlEngine, TransportError>

    private init(engine: Result<CurlEngine, TransportError>) {
        self.engine = engine
    }

    /// Creates a transport with connections of its own.
    ///
    /// - Throws: ``TransportError`` when libcurl or the operating system refuses what it needs.
    public init(configuration: Configuration = Configuration()) throws {
        self.engine = .success(try CurlEngine(configuration))
    }

    /// What this transport can do with the libcurl that is linked.
    public var capabilities: TransportCapabilities {
        var capabilities: TransportCapabilities = [
            .streamedRequestBodies, .backPressure, .orderedFields, .connectTimeout,
        ]
        if LinkedLibcurl.supportsHTTP2 { capabilities.insert(.http2) }
        return capabilities
    }

    /// Makes one exchange.
    public func send(_ request: PreparedRequest) async throws -> Response<ResponseBody> {
        let engine = try engine.get()
        try request.validate()
        try CurlTransport.refuseUnsupported(request)
        try engine.configuration.tls.publicKeyPins.check(request.url)
        let transfer = Transfer(request, loop: engine.loop, highWaterMark: engine.configuration.highWaterMark)
        let head = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                engine.loop.submit(.start(transfer, continuation))
            }
        } onCancel: {
            engine.loop.submit(.cancel(transfer))
        }
        return Response(head: head, content: ResponseBody(source: ChannelSource(transfer.channel, owner: engine)))
    }

    /// Ends what is in flight with ``TransportError/Code/shutDown`` and refuses what comes later.
    public func shutdown() async {
        guard case .success(let engine) = engine else { return }
        await withCheckedContinuation { engine.loop.submit(.stop($0)) }
    }

    private static func refuseUnsupported(_ request: PreparedRequest) throws(TransportError) {
        if request.options.cachePolicy == .returnCacheDataDontLoad {
            throw .unsupported("libcurl has no cache, so cachePolicy returnCacheDataDontLoad can never be met")
        }
        if request.method == .connect {
            throw .unsupported("the method CONNECT makes a tunnel, which is not an exchange")
        }
        if request.method == .head, !request.body.isNone {
            throw .unsupported("libcurl sends no body with the method HEAD; remove the body")
        }
    }
}

/// What a transport and the bodies that came from it hold on to: the loop ends with the last of them.
final class CurlEngine: Sendable {
    let loop: EventLoop
    let configuration: CurlTransport.Configuration

    init(_ configuration: CurlTransport.Configuration) throws(TransportError) {
        try LinkedLibcurl.initialized.get()
        self.configuration = configuration
        try configuration.tls.publicKeyPins.validate()
        // Refused here and not with the first request: an option that the linked libcurl does not take.
        _ = try EasyHandle(configuration.tls)
        self.loop = try EventLoop(configuration)
    }

    deinit {
        loop.submit(.stop(nil))
    }
}
