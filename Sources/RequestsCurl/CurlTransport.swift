import CRequestsCurl
import Foundation
import Requests
import RequestsClient

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
    /// - Throws: `TransportError` when libcurl or the operating system refuses what it needs.
    public init(configuration: Configuration = Configuration()) throws {
        self.engine = .success(try CurlEngine(configuration))
    }

    /// What this transport can do with the libcurl that is linked.
    public var capabilities: TransportCapabilities {
        switch engine {
        case .success(let engine): engine.settings.capabilities
        case .failure: []
        }
    }

    /// Runs tasks on the thread that makes this transport's exchanges, which saves the way between two threads for each.
    ///
    /// ```swift
    /// var names: [String] = []
    /// try await withTaskExecutorPreference(transport.taskExecutor) {
    ///     for id in 1...1000 { names.append(try await client.send(api.user(id)).name) }
    /// }
    /// ```
    ///
    /// While such a task computes or blocks, no exchange of the transport goes on: it is for code that mostly waits.
    /// Without a preference tasks stay where they are.
    public var taskExecutor: any TaskExecutor {
        switch engine {
        case .success(let engine): engine.loop
        case .failure: globalConcurrentExecutor
        }
    }

    /// Makes one exchange.
    public func send(_ request: PreparedRequest) async throws -> Response<ResponseBody> {
        let engine = try engine.get()
        try engine.settings.check(request)
        let transfer = Transfer(
            request,
            loop: engine.loop,
            highWaterMark: engine.settings.configuration.highWaterMark
        )
        await withTaskCancellationHandler {
            await Waiter.wait { engine.loop.submit(.start(transfer, sender: $0)) }
        } onCancel: {
            engine.loop.submit(.cancel(transfer))
        }
        var head = try transfer.takeResponse()
        let source = ChannelSource(transfer.channel, owner: engine)
        let codings = try engine.settings.decompression.codings(of: head, to: request)
        guard !codings.isEmpty else {
            return Response(head: head, content: ResponseBody(source: source), metrics: source.metrics)
        }
        head.header.remove(.contentEncoding)
        head.header.remove(.contentLength)
        let decoded = try DecodedSource(source, codings, engine.settings.decompression, for: request)
        return Response(head: head, content: ResponseBody(source: decoded), metrics: source.metrics)
    }

    /// Ends what is in flight with `TransportError.Code.shutDown` and refuses what comes later.
    public func shutdown() async {
        guard case .success(let engine) = engine else { return }
        await Waiter.wait { engine.loop.submit(.stop($0)) }
    }
}

/// What a transport and the bodies that came from it hold on to: the loop ends with the last of them.
final class CurlEngine: Sendable {
    let loop: EventLoop
    let settings: Settings

    init(_ configuration: CurlTransport.Configuration) throws(TransportError) {
        try LinkedLibcurl.initialized.get()
        self.settings = try Settings(configuration)
        // Refused here and not with the first request: an option that the linked libcurl does not take.
        _ = try EasyHandle(settings, clock: LoopClock())
        self.loop = try EventLoop(settings)
    }

    deinit {
        loop.submit(.stop(nil))
    }
}
