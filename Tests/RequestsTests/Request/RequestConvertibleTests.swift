import Foundation
import Requests
import RequestsTesting
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("A request type of one's own", .timeLimit(.minutes(5)))
struct RequestConvertibleTests {
    private struct Minimal<Resource: Sendable>: RequestConvertible {
        var baseURL: URL { URL("https://api.example.com/v1") }
        var endpoint: String { "/users/1" }
        var method: HTTPMethod { .get }
        var responseDecoder: ResponseDecoder<Resource>
    }

    private struct Text: RequestConvertible {
        typealias Resource = String
        var baseURL: URL { URL("https://api.example.com/v1") }
        var endpoint = "/users/1"
        var method: HTTPMethod { .get }
    }

    private struct Bytes: RequestConvertible {
        typealias Resource = Data
        var baseURL: URL { URL("https://api.example.com/v1") }
        var endpoint = ""
        var method: HTTPMethod { .post }
    }

    private struct Nothing: RequestConvertible {
        typealias Resource = Void
        var baseURL: URL { URL("https://api.example.com/v1?token=s3cret") }
        var endpoint = "/x"
        var method: HTTPMethod { .delete }
    }

    @Test("can name an observer of its own; nobody by default")
    func observer() throws {
        struct Watched: RequestConvertible {
            typealias Resource = Void
            var baseURL: URL { URL("https://api.example.com") }
            var endpoint = ""
            var method: HTTPMethod { .get }
            let told = Recorder<Void>()
            var observer: (@Sendable (TransportEvent) -> Void)? { { [told] _ in told.record() } }
        }
        let request = Watched()
        try request.prepared().observer?(.requestSent)
        #expect(request.told.count == 1)
        #expect(try Nothing().prepared().observer == nil)
    }

    @Test("declares resource, base URL, endpoint and method; all else has a default")
    func defaults() throws {
        let request = Text()
        #expect(request.header.isEmpty)
        #expect(request.queryItems.isEmpty)
        #expect(request.cachePolicy == .useProtocolCachePolicy)
        #expect(request.timeoutInterval == 60)
        #expect(request.options == RequestOptions())
        let prepared = try request.prepared()
        #expect(try prepared == PreparedRequest(url: RequestURL("https://api.example.com/v1/users/1")))
        #expect(prepared.options == RequestOptions(), "defaults are left to the client")
    }

    @Test("Void ignores the body, String is text, Data is the bytes")
    func decoders() async throws {
        let client = Client(transport: StubTransport { try .stub(200, body: Data("é".utf8), for: $0) })
        try await client.send(Nothing())
        #expect(try await client.send(Text()) == "é")
        #expect(try await client.send(Bytes()) == Data([0xC3, 0xA9]))
        #expect(try await client.send(Minimal(responseDecoder: .json(encoded: Int.self)).receivingStub("7")) == 7)
    }

    private struct Full: RequestConvertible {
        typealias Resource = Void
        var options = RequestOptions()
        var timeoutInterval: TimeInterval = 5
        var cachePolicy: URLRequest.CachePolicy = .returnCacheDataElseLoad
        var baseURL: URL { URL("https://api.example.com/v1") }
        var endpoint: String { Endpoint("/users/\("a/b")").path }
        var method: HTTPMethod { .put }
        var header: Header { [.accept(.json)] }
        var queryItems: [URLQueryItem] { [URLQueryItem(name: "q", value: "1")] }
        var bodyProvider: BodyProvider { .text("hello") }
        var authenticationProvider: AuthenticationProvider { .bearerToken("s3cret") }
    }

    @Test("has all its parts in the request that is built")
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
                == RequestOptions(timeouts: Timeouts(idle: .seconds(5)), cachePolicy: .returnCacheDataElseLoad)
        )
    }

    @Test("what is set in its options wins over the two shorthands")
    func options() throws {
        let options = RequestOptions(
            timeouts: Timeouts(idle: .seconds(7), total: .seconds(9)),
            cachePolicy: .reloadRevalidatingCacheData
        )
        #expect(try Full(options: options).prepared().options == options)
        let total = RequestOptions(timeouts: Timeouts(total: .seconds(9)))
        let expected = RequestOptions(
            timeouts: Timeouts(idle: .seconds(5), total: .seconds(9)),
            cachePolicy: .returnCacheDataElseLoad
        )
        #expect(try Full(options: total).prepared().options == expected)
        #expect(
            try Full(timeoutInterval: 60, cachePolicy: .useProtocolCachePolicy).prepared().options == RequestOptions()
        )
    }

    @Test("is printed as method and URL, secrets hidden, and never as its parts")
    func description() {
        #expect("\(Nothing())" == "DELETE https://api.example.com/v1/x?token=<redacted>")
        #expect(!"\(Full()) \(String(reflecting: Full())) \([Full()])".contains("s3cret"))
    }

    @Test("is printed without its body being made")
    func bodyIsNotMade() {
        struct Leaking: Error {}
        let api = AnonymousRequestProvider("https://a.example")
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

    @Test("that cannot be built is printed as its method and what is wrong")
    func brokenDescription() {
        let description = "\(Text(endpoint: "/a/../b"))"
        #expect(description.hasPrefix("GET (dotSegment: the segment “..” in “/a/../b”"))
    }
}

extension RequestConvertible {
    /// A request of an API, whose response is text.
    fileprivate func receivingStub(_ text: String) -> some RequestConvertible<Resource> {
        let decoder = responseDecoder
        return AnonymousRequestProvider(baseURL: baseURL).get(
            ResponseDecoder { (head: ResponseHead, _) in try decoder.decode(head, Data(text.utf8)) },
            from: Endpoint(path: endpoint)
        )
    }
}
