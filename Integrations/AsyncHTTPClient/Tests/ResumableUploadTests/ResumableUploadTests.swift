import Foundation
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import NIOPosix
import NIOResumableUpload
import RequestsCurl
import RequestsUploads
import Synchronization
import Testing

/// The server of swift-nio-extras knows the interop versions 3, 5 and 6 of the draft.
@Suite("Uploads to the server of swift-nio-extras", .timeLimit(.minutes(5)))
struct ResumableUploadTests {
    private static let body: Data = {
        let block = Data((0..<65_537).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
        var body = Data(capacity: 65 << 20)
        while body.count < 64 << 20 { body += block }
        return body.prefix(64 << 20)
    }()

    @Test(
        "arrive once and whole, although the connection breaks 5 times",
        arguments: [nil, 3, 5, 6],
        [nil, 6 << 20] as [Int64?]
    )
    func cuts(version: Int?, partSize: Int64?) async throws {
        let application = Application(cuts: [1_234_567, 7_340_033, 23_456_789, 40_000_003, 61_111_111])
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(Cutter(application))
                    try pipeline.configureHTTPServerPipeline()
                    try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: false))
                    try pipeline.addHandler(
                        HTTPResumableUploadHandler(context: try application.context()) { child in
                            try? child.pipeline.syncOperations.addHandler(Recorder(application))
                        }
                    )
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let url = try #require(URL(string: "http://127.0.0.1:\(server.localAddress?.port ?? 0)"))
        application.listen(at: url)
        var client = Client(transport: try CurlTransport())
        client.configuration.retries = .fixed(.milliseconds(20), limit: 1000)
        // After a cut, a part sometimes gets no response.
        client.configuration.timeouts.idle = .seconds(5)
        let form: UploadProtocol = version.map { .draft($0) } ?? .automatic
        let request = BaseURL(url).post(.raw(data: Self.body), to: "/files")
        let response = try await client.upload(request, protocol: form, partSize: partSize)
        #expect(response.statusCode == 201)
        #expect(application.bodies == [Self.body])
        #expect(application.cutsLeft == 0)
        try await server.close()
    }
}

/// The bodies of the requests that reached the application, and where connections break.
private final class Application: Sendable {
    private struct State {
        var bodies: [Data] = []
        var cuts: [Int]
        var count = 0
        var context: HTTPResumableUploadContext?
    }

    private struct NotListening: Error {}

    private let state: Mutex<State>

    init(cuts: [Int]) { state = Mutex(State(cuts: cuts.sorted())) }

    var bodies: [Data] { state.withLock { $0.bodies } }
    var cutsLeft: Int { state.withLock { $0.cuts.count } }

    /// Sets the origin of the upload resources, which has a port that the system chooses.
    func listen(at url: URL) {
        state.withLock { $0.context = HTTPResumableUploadContext(origin: "\(url)") }
    }

    func context() throws -> HTTPResumableUploadContext {
        guard let context = state.withLock({ $0.context }) else { throw NotListening() }
        return context
    }

    func append(_ body: Data) { state.withLock { $0.bodies.append(body) } }

    /// Counts received bytes. Returns how many of them arrive before the connection breaks, or `nil` if it doesn't.
    func cut(_ count: Int) -> Int? {
        state.withLock { state in
            guard let next = state.cuts.first, state.count + count >= next else {
                state.count += count
                return nil
            }
            defer { state.count = next }
            state.cuts.removeFirst()
            return next - state.count
        }
    }
}

/// Breaks connections.
private final class Cutter: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let application: Application

    init(_ application: Application) { self.application = application }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var buffer = unwrapInboundIn(data)
        guard let count = application.cut(buffer.readableBytes) else { return context.fireChannelRead(data) }
        if let rest = buffer.readSlice(length: count) { context.fireChannelRead(wrapInboundOut(rest)) }
        context.close(promise: nil)
    }
}

/// An application that answers each upload with 201.
private final class Recorder: ChannelInboundHandler {
    typealias InboundIn = HTTPRequestPart
    typealias OutboundOut = HTTPResponsePart

    private let application: Application
    private var isQuestion = false
    private var body = Data()

    init(_ application: Application) { self.application = application }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): (isQuestion, body) = (head.method == .options, Data())
        case .body(let buffer): body += Data(buffer.readableBytesView)
        case .end:
            if !isQuestion { application.append(body) }
            let head = HTTPResponse(status: isQuestion ? .ok : .created, headerFields: [.contentLength: "0"])
            context.write(wrapOutboundOut(.head(head)), promise: nil)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        }
    }
}
