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

/// The server of swift-nio-extras knows the interop versions 3, 5 and 6 of the draft, and the client version 8.
@Suite("Uploads to a server with other versions of the draft", .timeLimit(.minutes(5)))
struct ResumableUploadTests {
    @Test("arrive once and whole, as ordinary uploads after the refusal")
    func otherVersion() async throws {
        let received = Received()
        let context = HTTPResumableUploadContext(origin: "http://127.0.0.1")
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.configureHTTPServerPipeline()
                    try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: false))
                    try pipeline.addHandler(
                        HTTPResumableUploadHandler(context: context) { child in
                            try? child.pipeline.syncOperations.addHandler(Recorder(received))
                        }
                    )
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let url = try #require(URL(string: "http://127.0.0.1:\(server.localAddress?.port ?? 0)"))
        // After this server has refused a body that takes several reads, it may not answer over the same connection,
        // neither to this client nor to the curl tool.
        let body = Data((0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
        let client = Client(transport: CurlTransport.shared)
        let response = try await client.upload(BaseURL(url).post(.raw(data: body), to: "/files"))
        #expect(response.statusCode == 201)
        #expect(received.bodies == [body])
        try await server.close()
    }
}

/// The bodies of the requests that reached the application.
private final class Received: Sendable {
    private let state = Mutex<[Data]>([])

    var bodies: [Data] { state.withLock { $0 } }

    func append(_ body: Data) { state.withLock { $0.append(body) } }
}

/// An application that answers each upload with 201.
private final class Recorder: ChannelInboundHandler {
    typealias InboundIn = HTTPRequestPart
    typealias OutboundOut = HTTPResponsePart

    private let received: Received
    private var body = Data()

    init(_ received: Received) { self.received = received }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head: body = Data()
        case .body(let buffer): body += Data(buffer.readableBytesView)
        case .end:
            received.append(body)
            let head = HTTPResponse(status: .created, headerFields: [.contentLength: "0"])
            context.write(wrapOutboundOut(.head(head)), promise: nil)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        }
    }
}
