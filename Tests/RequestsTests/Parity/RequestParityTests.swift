#if FullFoundation
import Foundation
import Requests
import RequestsClient
import RequestsTesting
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("Parity of requests", .timeLimit(.minutes(5)))
struct RequestParityTests {
    private struct TenantAPI: RequestProviding {
        let baseURL = URL("https://h.com/v1?tenant=7")

        func request(to endpoint: Endpoint, using method: HTTPMethod) -> Request<TenantAPI, Void> {
            Request(api: self, endpoint: endpoint, responseDecoder: .none, method: method)
                .adding(headerField: Field(name: "X-Tenant", value: "7"))
        }
    }

    private struct Bio: RequestConvertible {
        typealias Resource = String

        let id: String
        var baseURL: URL { TenantAPI().baseURL }
        var endpoint: Endpoint { "/users/\(id)/bio" }
        var method: HTTPMethod { .get }
    }

    private struct Stamp: Middleware {
        func intercept(
            _ request: PreparedRequest,
            context: CallContext,
            next: @escaping Next
        ) async throws -> Response<ResponseBody> {
            var request = request
            request.header.set(Field(name: "X-Method", value: request.method.rawValue))
            return try await next(request)
        }
    }

    private let api = AnonymousRequestProvider("https://h.com/v1")

    @Test("a client is created from a transport, and changing a copy's configuration doesn't affect the original")
    func entryObject() async throws {
        let transport = StubTransport(routes: [.get("/v1/a", .reply(404, text: "none"))])
        let client = Client(transport: transport)
        var lenient = client
        lenient.configuration.validation = .none
        #expect(try await lenient.send(api.get(.text, from: "/a")) == "none")
        await #expect(throws: ResponseError.self) { try await client.send(api.get(.text, from: "/a")) }
    }

    @Test("an API, the client's header and middleware add fields to every request")
    func apiDefaults() async throws {
        let transport = StubTransport(script: [.reply(200)])
        var configuration = Client.Configuration()
        configuration.header = [.acceptLanguage("da")]
        configuration.middleware = [Stamp()]
        try await Client(transport: transport, configuration: configuration).send(TenantAPI().delete("/users/1"))
        let sent = try #require(transport.requests.first)
        #expect(sent.url.text == "https://h.com/v1/users/1?tenant=7")
        #expect(
            sent.header == [
                .acceptLanguage("da"), Field(name: "X-Tenant", value: "7"), Field(name: "X-Method", value: "DELETE"),
            ]
        )
    }

    @Test("an absolute URL must have the scheme, host and port of the API, and a path can't change the host")
    func oneOff() throws {
        func build(_ link: String) throws -> String {
            let url = try #require(URL(string: link))
            return try api.get(.none, from: Endpoint(absolute: url, origin: .same)).prepared().url.text
        }
        #expect(try build("https://h.com/v2?page=2") == "https://h.com/v2?page=2")
        #expect(try RequestURL(build("HTTPS://H.com:443/v1")).host == "h.com")
        let otherOrigins = [
            "https://h.com.evil.com/v1", "http://h.com/v1", "https://h.com:8443/v1", "https://evil.com/h.com",
        ]
        for link in otherOrigins {
            let error = #expect(throws: RequestError.self) { try build(link) }
            #expect(error?.code == .otherOrigin, "\(link)")
        }
        for link in ["//evil.com/v1", "https://h.com@evil.com/v1", "/v1", "ftp://h.com/v1"] {
            #expect(throws: RequestError.self, "\(link)") { try build(link) }
        }
        let evil = "//evil.com"
        for endpoint in [Endpoint(path: evil), Endpoint(path: "/\(evil)"), "\(raw: evil)", "\(evil)"] {
            #expect(try api.get(.none, from: endpoint).prepared().url.host == "h.com")
        }
    }

    @Test("a request can be a custom type")
    func ownType() throws {
        let request = try Bio(id: "a/b").prepared()
        #expect(request.description == "GET https://h.com/v1/users/a%2Fb/bio?tenant=7")
    }

    @Test("`receiving(_:)` keeps everything else, including authentication")
    func fluent() throws {
        let request = api.post(.text("x"), to: "/a").with(query: ["q": 1]).adding(headerField: .accept(.json))
            .timeout(after: 5).authenticated(with: .bearerToken("t"))
        let received = request.receiving(.text)
        #expect(try received.prepared() == request.prepared())
        #expect(try received.prepared().header[.authorization] == "Bearer t")
    }

    @Test("nine standard methods and custom methods can be sent")
    func methods() throws {
        let all: [HTTPMethod] = [.connect, .delete, .get, .head, .options, .patch, .post, .put, .trace, "PURGE"]
        #expect(Set(all).count == 10)
        for method in all {
            #expect(try api.get(.none, from: "/").using(method: method).toURLRequest().httpMethod == method.rawValue)
        }
        #expect(throws: RequestError.self) { try api.get(.none, from: "/").using(method: "A B").prepared() }
    }

    @Test("a request's field replaces the client's field in any case, and the order is kept")
    func headerMerge() async throws {
        let transport = StubTransport(script: [.reply(200)])
        var configuration = Client.Configuration()
        configuration.header = [Field(name: "accept", value: "a/b"), Field(name: "X-B", value: "1")]
        let request = api.get(.none, from: "/").setting(headerField: Field(name: "ACCEPT", value: "c/d"))
            .adding(headerField: Field(name: "Accept", value: "e/f"))
        try await Client(transport: transport, configuration: configuration).send(request)
        let sent = try #require(transport.requests.first?.header)
        #expect(sent.map(\.value) == ["1", "c/d", "e/f"])
        #expect(sent[.accept] == "c/d,e/f")
    }

    @Test("an Encodable query follows the base URL's query, and items are appended in order")
    func query() throws {
        struct Search: Encodable {
            var text: String
            var tags: [String]
            var page: Int?
        }
        var style = Query.Style()
        style.arrays = .brackets
        let query = try Query.encoding(Search(text: "1+1=2", tags: ["x", "y"]), style: style)
        let request = TenantAPI().get(.none, from: "/a").with(query: query).adding(
            queryItem: URLQueryItem(name: "b", value: nil)
        )
        #expect(
            try request.prepared().url.text
                == "https://h.com/v1/a?tenant=7&text=1%2B1%3D2&tags%5B%5D=x&tags%5B%5D=y&b"
        )
    }

    @Test("cache policy, timeout, service type and cellular access are set in a URLRequest")
    func options() throws {
        var request = api.get(.none, from: "/").timeout(after: 7.5)
        request.cachePolicy = .reloadIgnoringLocalCacheData
        request.options.networkServiceType = .background
        request.options.allowsCellularAccess = false
        let built = try request.toURLRequest()
        #expect(built.timeoutInterval == 7.5)
        #expect(built.cachePolicy == .reloadIgnoringLocalCacheData)
        #expect(built.networkServiceType == .background)
        #expect(!built.allowsCellularAccess)
        #expect(try PreparedRequest(built) == request.prepared())
        let plain = try api.get(.none, from: "/").prepared()
        let changes = try request.prepared().difference(from: plain).changes
        #expect(changes.contains(.added("options.allowsCellularAccess: false")))
        #expect(changes.contains(.added("options.networkServiceType: background")))
        #expect(plain.options == CallOptions())
    }
}
#endif
