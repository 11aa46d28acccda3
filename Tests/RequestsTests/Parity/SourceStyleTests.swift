#if FullFoundation
import Foundation
import RequestsConformance
import RequestsTesting
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

// Code in the style of alexjohnj/Requests, the library that this one takes its shapes from.

private struct User: Codable, Equatable, Sendable {
    var id: Int
    var name: String
}

extension Field.Name {
    fileprivate static let applicationKey: Field.Name = "X-Application-Key"
}

extension Field {
    fileprivate static let applicationKey: @Sendable (String) -> Field = { Field(name: .applicationKey, value: $0) }
}

extension ResponseDecoder where Response == Int {
    fileprivate static var count: Self {
        ResponseDecoder { response, data in
            // Only a Foundation response has these.
            response.allHeaderFields.isEmpty ? -1 : data.count + response.statusCode
        }
    }
}

extension BodyProvider {
    fileprivate static func csv(_ rows: [String]) -> BodyProvider {
        BodyProvider { header in
            header.set(.contentType(MediaType(type: "text", subtype: "csv")))
            return .data(Data(rows.joined(separator: "\r\n").utf8))
        }
    }
}

extension AuthenticationProvider {
    fileprivate static func session(_ token: String) -> AuthenticationProvider {
        AuthenticationProvider { header in
            header[.applicationKey] = token
        }
    }
}

private struct KeyedAPI: RequestProviding {
    let baseURL = URL("https://api.example.com")
    let key: String

    func request(to endpoint: Endpoint, using method: HTTPMethod) -> Request<KeyedAPI, Void> {
        Request(api: self, endpoint: endpoint, responseDecoder: .none, method: method)
            .adding(headerField: .applicationKey(key))
    }
}

private struct BioRequest: RequestConvertible {
    typealias Resource = String

    let baseURL = URL("https://api.example.com")
    let endpoint: Endpoint = "/user/1/bio"
    let method = HTTPMethod.get
}

@Suite("Source in the style of alexjohnj/Requests compiles and means the same:", .timeLimit(.minutes(5)))
struct SourceStyleTests {
    private let api = BaseURL("https://api.example.com")
    private let user = User(id: 1, name: "Alex")

    private func echo(_ body: String, header: Header = [.contentType(.json)]) -> Client {
        Client(transport: StubTransport { try .stub(200, header: header, body: Data(body.utf8), for: $0) })
    }

    @Test("get a decoder's resource from an endpoint")
    func get() async throws {
        let request = api.get(.json(User.self), from: "/user/1/")
        #expect(try request.toURLRequest().httpMethod == "GET")
        #expect(try request.toURLRequest().url?.absoluteString == "https://api.example.com/user/1/")
        #expect(try await echo(#"{"id":1,"name":"Alex"}"#).send(request) == user)
    }

    @Test("post and put a body to an endpoint")
    func post() throws {
        for (request, method) in [
            (api.post(.json(encoded: user), to: "/user/"), "POST"),
            (api.put(.json(encoded: user), to: "/user/"), "PUT"),
        ] {
            let built = try request.toURLRequest()
            #expect(built.httpMethod == method)
            #expect(built.value(forHTTPHeaderField: "Content-Type") == "application/json")
            #expect(try JSONDecoder().decode(User.self, from: #require(built.httpBody)) == user)
        }
    }

    @Test("patch an endpoint with a body, authenticated")
    func patch() throws {
        let token = "t"
        let request = api.patch("/user/1", with: .json(encoded: user)).authenticated(with: .bearerToken(token))
        #expect(try request.toURLRequest().httpMethod == "PATCH")
        #expect(try request.toURLRequest().value(forHTTPHeaderField: "Authorization") == "Bearer t")
        let basic = api.delete("/user/1").authenticated(with: .basicAuth(username: "alex", password: "p"))
        #expect(try basic.toURLRequest().value(forHTTPHeaderField: "Authorization") == "Basic YWxleDpw")
    }

    @Test("a header as a literal of fields")
    func header() throws {
        let request = api.get(.text, from: "/").with(header: [.acceptLanguage("en"), .accept(.plainText)])
        #expect(try request.toURLRequest().value(forHTTPHeaderField: "Accept-Language") == "en")
        #expect(try request.toURLRequest().value(forHTTPHeaderField: "Accept") == "text/plain")
    }

    @Test("a query as a literal of names and values, in its order")
    func query() throws {
        let request = api.get(.text, from: "/search").with(query: ["query": "alex", "limit": "30"])
        #expect(try request.toURLRequest().url?.query == "query=alex&limit=30")
        let items = api.get(.text, from: "/search").with(query: [URLQueryItem(name: "query", value: "alex")])
        #expect(try items.toURLRequest().url?.query == "query=alex")
    }

    @Test("a request type that declares resource, base URL, endpoint and method")
    func ownRequest() async throws {
        #expect(try BioRequest().toURLRequest().url?.absoluteString == "https://api.example.com/user/1/bio")
        #expect(try await echo("a bio").send(BioRequest()) == "a bio")
    }

    @Test("an API type whose `request(to:using:)` adds a field to every request")
    func ownAPI() throws {
        let api = KeyedAPI(key: "k")
        #expect(try api.get(.text, from: "/a").toURLRequest().value(forHTTPHeaderField: "X-Application-Key") == "k")
        #expect(try api.post(.text("x"), to: "/a").toURLRequest().value(forHTTPHeaderField: "X-Application-Key") == "k")
        #expect(
            try api.delete("/a").adding(headerField: .accept(.json)).prepared().header == [
                .applicationKey("k"), .accept(.json),
            ]
        )
    }

    @Test("a decoder as a static member, Foundation's response first")
    func ownDecoder() async throws {
        #expect(try await echo("12345").send(api.get(.count, from: "/")) == 205)
    }

    @Test("body and authentication providers as static members")
    func ownProviders() throws {
        let request = try api.post(.csv(["a,b", "1,2"]), to: "/").authenticated(with: .session("s")).toURLRequest()
        #expect(request.httpBody == Data("a,b\r\n1,2".utf8))
        #expect(request.allHTTPHeaderFields == ["Content-Type": "text/csv", "X-Application-Key": "s"])
    }

    @Test("bodies as raw data, raw streams and text, and a response that is not decoded")
    func bodies() throws {
        #expect(try api.post(.raw(data: Data([1])), to: "/").toURLRequest().httpBody == Data([1]))
        #expect(try api.post(.raw(stream: InputStream(data: Data([1]))), to: "/").toURLRequest().httpBodyStream != nil)
        #expect(try api.post(.text("x"), to: "/").toURLRequest().httpBody == Data("x".utf8))
        let body: [RequestBody] = [.none, .data(Data()), .oneShot(Data())]
        #expect(body.map(\.isNone) == [true, false, false])
        let request: Request<BaseURL, Void> = api.get(.none, from: "/")
        #expect(request.method == .get)
    }
}
#endif
