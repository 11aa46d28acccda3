import Foundation
import RequestsTesting
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("Custom request types", .timeLimit(.minutes(5)))
struct RequestConvertibleTests {
    private struct Minimal<Resource: Sendable>: RequestConvertible {
        var baseURL: URL { URL("https://api.example.com/v1") }
        var endpoint: Endpoint { "/users/1" }
        var method: HTTPMethod { .get }
        var responseDecoder: ResponseDecoder<Resource>
    }

    private struct Text: RequestConvertible {
        typealias Resource = String
        var baseURL: URL { URL("https://api.example.com/v1") }
        var endpoint: Endpoint = "/users/1"
        var method: HTTPMethod { .get }
    }

    private struct Bytes: RequestConvertible {
        typealias Resource = Data
        var baseURL: URL { URL("https://api.example.com/v1") }
        var endpoint: Endpoint = ""
        var method: HTTPMethod { .post }
    }

    private struct Nothing: RequestConvertible {
        typealias Resource = Void
        var baseURL: URL { URL("https://api.example.com/v1?token=s3cret") }
        var endpoint: Endpoint = "/x"
        var method: HTTPMethod { .delete }
    }

    @Test("A request type can declare an observer, which is nil by default")
    func observer() throws {
        struct Watched: RequestConvertible {
            typealias Resource = Void
            var baseURL: URL { URL("https://api.example.com") }
            var endpoint: Endpoint = ""
            var method: HTTPMethod { .get }
            let received = Recorder<Void>()
            var options: CallOptions {
                var options = CallOptions()
                options.observer = { [received] _ in received.record() }
                return options
            }
        }
        let request = Watched()
        try request.prepared().options.observer?(.requestSent)
        #expect(request.received.count == 1)
        #expect(try Nothing().prepared().options.observer == nil)
    }

    @Test("everything but the resource, base URL, endpoint and method has a default")
    func defaults() throws {
        let request = Text()
        #expect(request.header.isEmpty)
        #expect(request.queryItems.isEmpty)
        #expect(request.cachePolicy == .useProtocolCachePolicy)
        #expect(request.timeoutInterval == 60)
        #expect(request.options == CallOptions())
        let prepared = try request.prepared()
        #expect(try prepared == PreparedRequest(url: RequestURL("https://api.example.com/v1/users/1")))
        #expect(prepared.options == CallOptions(), "the client sets the defaults")
    }

    @Test("the default decoders ignore the body for Void, and decode text for String and bytes for Data")
    func decoders() async throws {
        let client = Client(transport: StubTransport { try .stub(200, body: Data("é".utf8), for: $0) })
        try await client.send(Nothing())
        #expect(try await client.send(Text()) == "é")
        #expect(try await client.send(Bytes()) == Data([0xC3, 0xA9]))
        #expect(try await client.send(Minimal(responseDecoder: .json(Int.self)).receivingStub("7")) == 7)
    }

    private struct Full: RequestConvertible {
        typealias Resource = Void
        var options = CallOptions()
        var timeoutInterval: TimeInterval = 5
        var cachePolicy: CachePolicy = .returnCacheDataElseLoad
        var baseURL: URL { URL("https://api.example.com/v1") }
        var endpoint: Endpoint { "/users/\("a/b")" }
        var method: HTTPMethod { .put }
        var header: Header { [.accept(.json)] }
        var queryItems: [URLQueryItem] { [URLQueryItem(name: "q", value: "1")] }
        var bodyProvider: BodyProvider { .text("hello") }
        var authenticationProvider: AuthenticationProvider { .bearerToken("s3cret") }
    }

    @Test("every property is part of the built request")
    func parts() throws {
        #expect(
            try Full().prepared().httpMessage(revealingSecrets: true) == """
                PUT /v1/users/a%2Fb?q=1 HTTP/1.1
                Host: api.example.com
                Accept: application/json
                Content-Type: text/plain; charset=utf-8
                Authorization: Bearer s3cret
                Content-Length: 5

                hello
                """
        )
        #expect(
            try Full().prepared().options
                == CallOptions(timeouts: Timeouts(idle: .seconds(5)), cachePolicy: .returnCacheDataElseLoad)
        )
    }

    @Test("options take precedence over timeoutInterval and cachePolicy")
    func options() throws {
        let options = CallOptions(
            timeouts: Timeouts(idle: .seconds(7), total: .seconds(9)),
            cachePolicy: .reloadRevalidatingCacheData
        )
        #expect(try Full(options: options).prepared().options == options)
        let total = CallOptions(timeouts: Timeouts(total: .seconds(9)))
        let expected = CallOptions(
            timeouts: Timeouts(idle: .seconds(5), total: .seconds(9)),
            cachePolicy: .returnCacheDataElseLoad
        )
        #expect(try Full(options: total).prepared().options == expected)
        #expect(
            try Full(timeoutInterval: 60, cachePolicy: .useProtocolCachePolicy).prepared().options == CallOptions()
        )
    }

    @Test("the description is the method and the URL with secrets redacted")
    func description() {
        #expect("\(Nothing())" == "DELETE https://api.example.com/v1/x?token=REDACTED")
        #expect(!"\(Full()) \(String(reflecting: Full())) \([Full()])".contains("s3cret"))
    }

    @Test("the description doesn't make the body")
    func bodyIsNotMade() {
        struct Leaking: Error {}
        let api = BaseURL("https://a.example")
        let made = Recorder<Void>()
        let request = api.post(
            BodyProvider { _ in
                made.record()
                throw Leaking()
            },
            to: "/"
        )
        #expect("\(request)" == "POST https://a.example/")
        #expect(made.count == 0)
    }

    @Test("the description of an invalid request is the method and the error")
    func brokenDescription() {
        let description = "\(Text(endpoint: "/a/../b"))"
        #expect(description.hasPrefix("GET (dotSegment: The path “/a/../b” contains the dot segment “..”"))
    }
}

extension RequestConvertible {
    /// Returns a request to the same endpoint that decodes a fixed text instead of the response.
    fileprivate func receivingStub(_ text: String) -> some RequestConvertible<Resource> {
        let decoder = responseDecoder
        return BaseURL(baseURL: baseURL).get(
            ResponseDecoder.reading { head, _ in try decoder.decode(head, Data(text.utf8)) },
            from: endpoint
        )
    }
}
