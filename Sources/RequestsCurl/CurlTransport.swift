import CRequestsCurl
import Foundation
import Requests
import RequestsClient

/// A transport over libcurl.
///
/// One thread drives all exchanges of a transport and its copies. When the last copy and the last of its response
/// bodies are dropped, the thread ends and the connections are closed.
///
/// After `fork` without `exec`, the child process must not use a transport that was made before the fork.
public struct CurlTransport: Transport {
    /// A transport with the default configuration.
    public static let shared = CurlTransport(engine: Result { () throws(TransportError) in try CurlEngine(.init()) })

    private let engine: Result<CurlEngine, TransportError>

    private init(engine: Result<CurlEngine, TransportError>) {
        self.engine = engine
    }

    /// Creates a transport with its own connections.
    ///
    /// - Throws: `TransportError.Code.unsupported` for an option that libcurl or the system doesn't support.
    public init(configuration: Configuration = Configuration()) throws {
        self.engine = .success(try CurlEngine(configuration))
    }

    /// What the transport supports with the linked libcurl.
    public var capabilities: TransportCapabilities {
        switch engine {
        case .success(let engine): engine.settings.capabilities
        case .failure: []
        }
    }

    /// Runs tasks on the transport's thread, which saves switching threads for each exchange.
    ///
    /// ```swift
    /// var names: [String] = []
    /// try await withTaskExecutorPreference(transport.taskExecutor) {
    ///     for id in 1...1000 { names.append(try await client.send(api.user(id)).name) }
    /// }
    /// ```
    ///
    /// While such a task computes or blocks, all exchanges of the transport wait. Use it for code that mostly waits.
    public var taskExecutor: any TaskExecutor {
        switch engine {
        case .success(let engine): engine.loop
        case .failure: globalConcurrentExecutor
        }
    }

    /// Sends a request and returns the response, as soon as its head has arrived.
    public func send(_ request: PreparedRequest) async throws -> Response<ResponseBody> {
        let engine = try engine.get()
        try engine.settings.check(request)
        let transfer = Transfer(request, loop: engine.loop)
        await CallScope.canceling(transfer) {
            await Waiter.wait { engine.loop.submit(.start(transfer, sender: $0)) }
        }
        let received = try transfer.takeResponse()
        let source = received.source(for: request, owner: engine)
        let codings = try engine.settings.decompression.codings(of: received.head, to: request)
        guard !codings.isEmpty else {
            return Response(head: received.head, content: ResponseBody(source: source), boxedMetrics: received.metrics)
        }
        var head = received.head
        head.header.remove(.contentEncoding)
        head.header.remove(.contentLength)
        let decoded = try DecodedSource(source, codings, engine.settings.decompression, for: request)
        return Response(head: head, content: ResponseBody(source: decoded), boxedMetrics: received.metrics)
    }

    /// Ends all requests with `TransportError.Code.shutDown`, and rejects later ones.
    public func shutdown() async {
        guard case .success(let engine) = engine else { return }
        await Waiter.wait { engine.loop.submit(.stop($0)) }
    }
}

/// The event loop of a transport. The transport and its response bodies retain it; it ends with the last of them.
final class CurlEngine: Sendable {
    let loop: EventLoop
    let settings: Settings

    init(_ configuration: CurlTransport.Configuration) throws(TransportError) {
        try LinkedLibcurl.initialized.get()
        self.settings = try Settings(configuration)
        // Fails now, not on the first request, if libcurl rejects an option.
        _ = try EasyHandle(settings, clock: LoopClock())
        self.loop = try EventLoop(settings)
    }

    deinit {
        loop.submit(.stop(nil))
    }
}
