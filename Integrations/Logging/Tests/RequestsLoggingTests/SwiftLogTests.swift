import Foundation
import InMemoryLogging
import Logging
import RequestsLogging
import RequestsTesting
import Testing

@Suite("A log destination for swift-log", .timeLimit(.minutes(5)))
struct SwiftLogTests {
    private struct Own: Error, CustomStringConvertible {
        var description: String { "s3cret" }
    }

    private struct Talking: Middleware {
        func intercept(
            _ request: PreparedRequest,
            context: CallContext,
            next: @escaping Next
        ) async throws -> Response<ResponseBody> {
            context.log(.message("first\nsecond"))
            return try await next(request)
        }
    }

    private let handler = InMemoryLogHandler()
    private let api = BaseURL("https://a.example:8443")

    private func logger(_ level: Logger.Level = .trace) -> Logger {
        var logger = Logger(label: "test") { [handler] _ in handler }
        logger.logLevel = level
        return logger
    }

    private func client(
        _ replies: [StubTransport.Reply],
        logger: Logger? = nil,
        configure: (inout Client.Configuration) -> Void = { _ in }
    ) -> Client {
        var configuration = Client.Configuration()
        configuration.clock = TestClock(isImmediate: true)
        configuration.log = .swiftLog(logger ?? self.logger())
        configure(&configuration)
        return Client(transport: StubTransport(script: replies), configuration: configuration)
    }

    private func entries(_ message: Logger.Message) -> [InMemoryLogHandler.Entry] {
        handler.entries.filter { $0.message == message }
    }

    private func value(_ name: String, of message: Logger.Message) -> String? {
        entries(message).first?.metadata[name].map { "\($0)" }
    }

    @Test("A call is logged with its start, its attempt and its end")
    func call() async throws {
        try await client([.reply(200, text: "hello")]).send(api.get(.none, from: "/a"))
        #expect(handler.entries.map(\.message) == ["HTTP call started", "HTTP attempt started", "HTTP call succeeded"])
        #expect(handler.entries.map(\.level) == [.debug, .debug, .debug])
    }

    @Test("Every event has the number of its call, the request, the method and the host")
    func everyEvent() async throws {
        let client = client([.reply(200), .reply(200)])
        try await client.send(api.get(.none, from: "/a"))
        try await client.send(api.get(.none, from: "/a"))
        #expect(handler.entries.map { $0.metadata["http.call"] } == ["1", "1", "1", "2", "2", "2"])
        for entry in handler.entries {
            #expect(entry.metadata["http.request"] == "GET https://a.example:8443/a")
            #expect(entry.metadata["http.request.method"] == "GET")
            #expect(entry.metadata["server.address"] == "a.example")
        }
    }

    @Test("An IPv6 address has no brackets")
    func address() async throws {
        try await client([.reply(200)]).send(BaseURL("http://[::1]:8080").get(.none, from: "/a"))
        #expect(handler.entries.map { $0.metadata["server.address"] } == ["::1", "::1", "::1"])
    }

    @Test("A start has the header and the description of the body")
    func start() async throws {
        let request = api.put(.text("12345"), to: "/a").adding(headerField: .acceptLanguage("en"))
        try await client([.reply(200)]).send(request)
        let metadata = try #require(entries("HTTP call started").first).metadata
        #expect(
            metadata["http.request.header"] == [
                "Accept-Language": "en", "Content-Type": "text/plain; charset=utf-8",
            ]
        )
        #expect(metadata["http.request.body"] == "5 bytes")
    }

    @Test("A success has the status, the size and the duration")
    func success() async throws {
        try await client([.reply(201, text: "hello")]).send(api.get(.none, from: "/a"))
        #expect(value("http.response.status_code", of: "HTTP call succeeded") == "201")
        #expect(value("http.response.body.size", of: "HTTP call succeeded") == "5")
        #expect(value("duration", of: "HTTP call succeeded") == "0.0 seconds")
    }

    @Test("A redirect has the next URL and the previous status")
    func redirect() async throws {
        try await client([.redirect(302, to: "/b"), .reply(200)]).send(api.get(.none, from: "/a"))
        let metadata = try #require(entries("HTTP attempt started").last).metadata
        #expect(metadata["url.full"] == "https://a.example:8443/b")
        #expect(metadata["http.previous.status_code"] == "302")
    }

    @Test("A retry is a notice with its delay and reason")
    func retry() async throws {
        let client = client([.reply(503), .reply(200)]) { $0.retries = .fixed(.seconds(2)) }
        try await client.send(api.get(.none, from: "/a"))
        let entry = try #require(entries("HTTP request will be sent again").first)
        #expect(entry.level == .notice)
        #expect(entry.metadata["delay"] == "2.0 seconds")
        #expect(entry.metadata["reason"] == "status 503")
    }

    @Test("A failure is an error with its kind, its reason and its status")
    func failure() async throws {
        _ = await client([.reply(404)]).result(of: api.get(.none, from: "/a"))
        #expect(entries("HTTP call failed").map(\.level) == [.error])
        #expect(value("error.type", of: "HTTP call failed") == "404")
        #expect(value("http.response.status_code", of: "HTTP call failed") == "404")
        #expect(value("reason", of: "HTTP call failed")?.contains("returned 404") == true)
    }

    @Test("A request that can't be built is a failure without a method")
    func unbuilt() async throws {
        _ = await client([]).result(of: api.get(.none, from: "/.."))
        #expect(value("error.type", of: "HTTP call failed") == "dotSegment")
        #expect(value("http.request.method", of: "HTTP call failed") == nil)
    }

    @Test("No secret is logged in headers, URLs and errors")
    func secrets() async throws {
        let request = api.get(.none, from: "/a").with(query: ["token": "s3cret"]).with(header: [
            .authorization("s3cret"), Field(name: .referer, value: "https://u:s3cret@b.example"),
        ])
        _ = await client([.init { _ in throw Own() }]).result(of: request)
        #expect(value("error.type", of: "HTTP call failed") == "Own")
        for entry in handler.entries {
            #expect(!"\(entry.message) \(entry.metadata)".contains("s3cret"))
            #expect(entry.error == nil)
        }
    }

    @Test("Control characters can't start a line of the log")
    func controlCharacters() async throws {
        try await client([.reply(200)]) { $0.middleware = [Talking()] }.send(api.get(.none, from: "/a"))
        #expect(handler.entries.map(\.message).contains(#"first\nsecond"#))
    }

    @Test("The caller chooses the levels, and the logger's level decides what is logged")
    func levels() async throws {
        let logger = logger(.info)
        let client = client([.reply(200), .reply(404)]) {
            $0.log = .swiftLog(logger) { if case .failed = $0.kind { .info } else { .trace } }
        }
        try await client.send(api.get(.none, from: "/a"))
        #expect(handler.entries.isEmpty)
        _ = await client.result(of: api.get(.none, from: "/a"))
        #expect(handler.entries.map(\.level) == [.info])
    }

    @Test("A metadata provider sees the task-local values of the call")
    func metadataProvider() async throws {
        var logger = logger()
        logger.handler.metadataProvider = Logger.MetadataProvider { TestValues.user.map { ["user": "\($0)"] } ?? [:] }
        let client = client([.reply(200)], logger: logger)
        try await TestValues.$user.withValue("ada") { try await client.send(api.get(.none, from: "/a")) }
        #expect(handler.entries.map { $0.metadata["user"] } == ["ada", "ada", "ada"])
    }
}

private enum TestValues {
    @TaskLocal static var user: String?
}
