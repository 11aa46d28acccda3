import Requests
import RequestsTesting
import Testing

@Suite("APIs", .timeLimit(.minutes(5)))
struct RequestProvidingTests {
    private struct Prefixing: RequestProviding {
        let baseURL = URL("https://api.example.com")

        func request(to endpoint: Endpoint, using method: HTTPMethod) -> Request<Prefixing, Void> {
            Request(api: self, endpoint: endpoint.prefixed(by: "/v2"), responseDecoder: .none, method: method)
                .adding(headerField: .userAgent("example"))
                .with(query: ["lang": "en"])
                .authenticated(with: .bearerToken("t"))
        }
    }

    @Test("an API's `request(to:using:)` applies to every verb")
    func everyVerb() throws {
        let api = Prefixing()
        let requests: [PreparedRequest] = try [
            api.get(.text, from: "/a").prepared(), api.get(json: Int.self, from: "/a").prepared(),
            api.post(.none, to: "/a").prepared(),
            api.post(json: 1, to: "/a").prepared(), api.put(.none, to: "/a").prepared(),
            api.put(json: 1, to: "/a").prepared(),
            api.patch("/a", with: .none).prepared(), api.patch(json: 1, to: "/a").prepared(),
            api.delete("/a").prepared(),
            api.head("/a").prepared(), api.request(to: "/a", using: "PURGE").prepared(),
        ]
        let methods: [HTTPMethod] = [
            .get, .get, .post, .post, .put, .put, .patch, .patch, .delete, .head, "PURGE",
        ]
        #expect(requests.map(\.method) == methods)
        for request in requests {
            #expect(request.url.text == "https://api.example.com/v2/a?lang=en")
            #expect(request.header[.userAgent] == "example")
            #expect(request.header[.authorization] == "Bearer t")
        }
    }

    private enum Environments: RequestProviding {
        case staging, production

        var baseURL: URL {
            switch self {
            case .staging: URL("https://staging.example.com")
            case .production: URL("https://example.com")
            }
        }
    }

    private final class Shared: RequestProviding {
        let baseURL = URL("https://class.example.com")
    }

    private actor Isolated: RequestProviding {
        nonisolated let baseURL = URL("https://actor.example.com")
    }

    @Test("an API can be a struct, an enum, an actor or a final class")
    func kinds() throws {
        #expect(try Environments.staging.get(.text, from: "/a").prepared().url.text == "https://staging.example.com/a")
        #expect(try Environments.production.get(.text, from: "/a").prepared().url.text == "https://example.com/a")
        #expect(try Shared().get(.text, from: "/a").prepared().url.text == "https://class.example.com/a")
        #expect(try Isolated().get(.text, from: "/a").prepared().url.text == "https://actor.example.com/a")
    }

    @Test("an anonymous API can be created from a URL or a literal")
    func anonymous() throws {
        let url = try #require(URL(string: "https://h/v1"))
        for api in [BaseURL("https://h/v1"), BaseURL(baseURL: url)] {
            #expect(api.baseURL == url)
            #expect(try api.delete("/a").prepared().url.text == "https://h/v1/a")
        }
    }

    // MARK: An API's verbs

    private let api = BaseURL("https://h/v1")
    private let json = Data("[1,2]".utf8)

    @Test("verbs send the given body")
    func bodies() throws {
        let body = RequestBody.data(Data("x".utf8))
        #expect(try api.post(.text("x"), to: "/a").prepared().body == body)
        #expect(try api.put(.text("x"), to: "/a").prepared().body == body)
        #expect(try api.patch("/a", with: .text("x")).prepared().body == body)
    }

    @Test("verbs decode the response with the given decoder, or ignore it without one")
    func decoders() throws {
        let head = try ResponseHead(statusCode: 200, url: RequestURL("https://h"))
        #expect(try api.get(.data, from: "/a").responseDecoder.decode(head, json) == json)
        #expect(try api.get(json: [Int].self, from: "/a").responseDecoder.decode(head, json) == [1, 2])
        #expect(try api.post(.none, to: "/a").receiving(json: [Int].self).responseDecoder.decode(head, json) == [1, 2])
        try api.post(.none, to: "/a").responseDecoder.decode(head, Data([0xFF]))
        try api.delete("/a").responseDecoder.decode(head, Data([0xFF]))
    }

    @Test("the bodies of failures are decoded with the API's coders")
    func errors() async throws {
        struct Problem: Error, Decodable, Equatable { var userName: String }
        struct Snake: RequestProviding {
            let baseURL = URL("https://h")
            var coders: JSONCoders {
                let decoder = JSONDecoder()
                decoder.keyDecodingStrategy = .convertFromSnakeCase
                return JSONCoders(encoder: JSONEncoder(), decoder: decoder)
            }
        }
        let request = Snake().get(json: [Int].self, from: "/").decodingErrors(as: Problem.self)
        let client = Client(transport: StubTransport(script: [.reply(422, text: #"{"user_name":"ada"}"#)]))
        let error = try await #require(throws: ResponseError.self) { try await client.send(request) }
        #expect(error.underlying as? Problem == Problem(userName: "ada"))
    }

    @Test("an API's error type applies to all verbs, and a request can replace it")
    func errorsOfAPI() async throws {
        struct Problem: Error, Decodable { var title: String }
        struct Fault: Error, Decodable { var title: String }
        struct Strict: RequestProviding {
            let baseURL = URL("https://h")
            func request(to endpoint: Endpoint, using method: HTTPMethod) -> Request<Strict, Void> {
                Request(api: self, endpoint: endpoint, responseDecoder: .none, method: method).decodingErrors(
                    as: Problem.self
                )
            }
        }
        func failure<R: RequestConvertible>(of request: R) async -> (any Error)? {
            let client = Client(transport: StubTransport(script: [.reply(422, text: #"{"title":"no"}"#)]))
            guard case .failure(let error) = await client.result(of: request) else { return nil }
            return (error as? ResponseError)?.underlying
        }
        let api = Strict()
        #expect(await failure(of: api.get(.text, from: "/")) is Problem)
        #expect(await failure(of: api.get(json: [Int].self, from: "/")) is Problem)
        #expect(await failure(of: api.post(.none, to: "/")) is Problem)
        #expect(await failure(of: api.put(json: 1, to: "/").receiving(json: Int.self)) is Problem)
        #expect(await failure(of: api.delete("/")) is Problem)
        #expect(await failure(of: api.get(.text.decodingErrors(as: Fault.self), from: "/")) is Fault)
        #expect(await failure(of: api.get(.text, from: "/").decodingErrors(as: Fault.self)) is Fault)
    }

    @Test("verbs accept literals, interpolated values and paths known only at run time")
    func endpoints() throws {
        let path = "/a b"
        #expect(try api.delete("/a/\(1)").prepared().url.path == "/v1/a/1")
        #expect(try api.delete(Endpoint(path: path)).prepared().url.path == "/v1/a%20b")
        #expect(try api.patch("/a/\("b/c")", with: .none).prepared().url.path == "/v1/a/b%2Fc")
        #expect(try api.put(.none, to: "/a/\("b/c")").prepared().url.path == "/v1/a/b%2Fc")
        #expect(try api.head("").prepared().url.path == "/v1")
    }
}
