#if FullFoundation
import Foundation
import RequestsSchemes
import RequestsTestSupport
import RequestsTesting
import Testing

@Suite("Signatures of large bodies", .timeLimit(.minutes(5)))
struct SigningFlowTests {
    /// Bytes without an end.
    private final class EndlessStream: InputStream {
        private let onRead: @Sendable () -> Void

        init(onRead: @escaping @Sendable () -> Void) {
            self.onRead = onRead
            super.init(data: Data())
        }

        override func open() {}
        override func close() {}
        override var hasBytesAvailable: Bool { true }
        override var streamStatus: Stream.Status { .open }

        override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength length: Int) -> Int {
            onRead()
            return length
        }
    }

    private static let provider = AuthenticationProvider.awsSigV4(
        AWSCredentials(accessKeyID: "id", secretAccessKey: "secret"),
        region: "eu",
        service: "s3"
    )

    static let providers: [Named<AuthenticationProvider>] = [
        Named("AWS Signature Version 4", provider),
        Named(
            "HTTP message signature",
            .messageSignature(
                MessageSignature(of: ["content-digest"], with: .hmacSHA256(id: "k", secret: Data("s".utf8)))
            )
        ),
    ]

    private func request(opening open: @escaping @Sendable () -> sending InputStream) throws -> PreparedRequest {
        var header = Header.empty
        let body = try BodyProvider.raw(opening: open).body(updating: &header)
        return try PreparedRequest(method: .put, url: RequestURL("https://h/a"), body: body)
    }

    @Test("a client reads the body away from the caller's actor, and a build without one on it", arguments: providers)
    @MainActor
    func thread(_ provider: Named<AuthenticationProvider>) async throws {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        let isOnMain = Recorder<Bool>()
        var request = try request {
            isOnMain.record(DispatchQueue.getSpecific(key: key) == true)
            return InputStream(data: Data("Hello".utf8))
        }
        var flow = provider.value.makeFlow()
        try await flow.start(&request)
        #expect(isOnMain.recorded == [false])
        var same = request
        same.header.remove(.contentDigest)
        try provider.value.apply(to: &same)
        #expect(isOnMain.recorded == [false, true])
        #expect(same.header.contains(.contentDigest) == request.header.contains(.contentDigest))
    }

    @Test("a canceled call stops reading the body", arguments: providers)
    func cancellation(_ provider: Named<AuthenticationProvider>) async throws {
        let request = try request { EndlessStream { withUnsafeCurrentTask { $0?.cancel() } } }
        let task = Task {
            var (request, flow) = (request, provider.value.makeFlow())
            try await flow.start(&request)
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("a client signs a file with the digest that a build without one computes")
    func file() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "signed-\(UUID())")
        try Data(repeating: UInt8(ascii: "a"), count: 1_000_000).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let stub = StubTransport(script: [.reply(200)])
        let put = BaseURL("https://h").put(.file(file), to: "/a").authenticated(with: Self.provider)
        try await Client(transport: stub).send(put)
        let digest = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
        #expect(stub.requests.map { $0.header["X-Amz-Content-SHA256"] } == [digest])
        #expect(try put.prepared().header["X-Amz-Content-SHA256"] == digest)
    }

    @Test("a signature can be combined with another provider and built without a client")
    func combined() throws {
        let api = BaseURL("https://h")
        let both = AuthenticationProvider.combined(Self.provider, .apiKey("k", inHeader: "X-Key"))
        let request = try api.get(.none, from: "/").authenticated(with: both).prepared()
        #expect(request.header[.authorization]?.contains("x-key") == true)
        let waiting = AuthenticationProvider.combined(Self.provider, .asynchronous { _ in })
        let error = #expect(throws: RequestError.self) {
            try api.get(.none, from: "/").authenticated(with: waiting).prepared()
        }
        #expect(error?.code == .asynchronousAuthentication)
    }
}
#endif
