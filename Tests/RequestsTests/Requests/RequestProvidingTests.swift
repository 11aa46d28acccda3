import Foundation
import Requests
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
        for request in requests {
            #expect(request.url.text == "https://api.example.com/v2/a?lang=en")
            #expect(request.header[.userAgent] == "example")
            #expect(request.header[.authorization] == "Bearer t")
        }
    }

    @Test("a prefix keeps the encoded values and errors of endpoints")
    func prefix() throws {
        #expect(try Prefixing().get(.text, from: "/\("a/b")/\("?")").prepared().url.path == "/v2/a%2Fb/%3F")
        let error = #expect(throws: RequestError.self) {
            try Prefixing().get(.text, from: "/\("..")").prepared()
        }
        #expect(error?.code == .unsafeSegment)
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
}
