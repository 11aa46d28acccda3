#if canImport(CRequestsCurl)
import CRequestsCurl
import Requests
import RequestsClient
import RequestsCompression

/// A transport over libcurl.
///
/// ```swift
/// let client = Client(transport: CurlTransport.shared)
///
/// var settings = CurlTransport.Configuration()
/// settings.connections.maximumPerHost = 8
/// let limited = Client(
///     transport: try CurlTransport(configuration: settings)
/// )
/// ```
///
/// A transport and its copies share one thread, which runs all of their requests. When the last copy and the last of
/// its response bodies are released, the thread ends and the connections are closed.
///
/// After `fork` without `exec`, the child process must not use a transport that was created before the fork.
public struct CurlTransport: Transport, EndsWithCall {
    /// A transport with the default configuration.
    public static let shared = CurlTransport(ownEngine: nil)

    /// Created on first use. If the system has no free thread or file descriptor then, the next use tries again.
    private static let sharedEngine = Locked<CurlEngine?>(nil)

    /// `nil` for the shared transport.
    private let ownEngine: CurlEngine?

    private init(ownEngine: CurlEngine?) { self.ownEngine = ownEngine }

    private var engine: CurlEngine {
        get throws(TransportError) {
            if let ownEngine { return ownEngine }
            return try CurlTransport.sharedEngine.withLock { (engine) throws(TransportError) in
                if let engine { return engine }
                let made = try CurlEngine(Configuration())
                engine = made
                return made
            }
        }
    }

    /// Creates a transport with its own connections.
    ///
    /// - Throws: `TransportError.Code.unsupported` for an option that libcurl or the system doesn't support.
    public init(configuration: Configuration = Configuration()) throws {
        ownEngine = try CurlEngine(configuration)
    }

    /// The capabilities of the transport with the linked libcurl.
    public var capabilities: TransportCapabilities { (try? engine)?.settings.capabilities ?? [] }

    /// The numbers of connections and requests. `nil` after `shutdown()`.
    public var statistics: TransportStatistics? {
        get async {
            guard let engine = try? engine else { return nil }
            let statistics = Promise<TransportStatistics>()
            engine.loop.submit(.report(statistics))
            return try? await statistics.take()
        }
    }

    /// An executor that runs tasks on the transport's thread, which saves switching threads for each request.
    ///
    /// ```swift
    /// var names: [String] = []
    /// try await withTaskExecutorPreference(transport.taskExecutor) {
    ///     for id in 1...1000 {
    ///         names.append(try await client.send(api.user(id)).name)
    ///     }
    /// }
    /// ```
    ///
    /// While such a task computes or blocks, all requests of the transport wait. Use it for code that mostly awaits.
    public var taskExecutor: any TaskExecutor { (try? engine)?.loop ?? globalConcurrentExecutor }

    /// Sends a request and returns the response as soon as its head has arrived.
    public func send(_ request: PreparedRequest, context: SendContext) async throws -> Response<ResponseBody> {
        let engine = try engine
        try engine.settings.check(request)
        let transfer = Transfer(request, context, loop: engine.loop)
        await CallState.canceling(transfer) {
            await Waiter.wait { engine.loop.submit(.start(transfer, sender: $0)) }
        }
        let received = try transfer.takeResponse()
        let body = ResponseBody(source: received.source(for: request, owner: engine))
        let decompression = engine.settings.configuration.decompression
        let limits = DecodedSource.Limits(ratio: decompression.maximumRatio, bytes: decompression.maximumBytes)
        return try Response(head: received.head, content: body, boxedMetrics: received.metrics)
            .decoded(for: request, accepting: decompression.codings.map(\.base), limits, whole: received.whole)
    }

    /// Ends all requests with `TransportError.Code.shutdown`, and rejects later ones.
    public func shutdown() async {
        guard let engine = try? engine else { return }
        await Waiter.wait { engine.loop.submit(.stop($0)) }
    }
}

/// The event loop of a transport. The transport and its response bodies retain it, and it ends with the last of them.
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

    deinit { loop.submit(.stop(nil)) }
}
#endif
