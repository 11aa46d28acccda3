import Foundation
import Requests
import RequestsClient
import RequestsTesting
import Testing

@Suite("An API's verbs", .timeLimit(.minutes(5)))
struct RequestProvidingVerbsTests {
    private let api = BaseURL("https://h/v1")
    private let json = Data("[1,2]".utf8)

    @Test("every verb uses the method that it is named after")
    func methods() {
        #expect(api.get(.data, from: "/a").method == .get)
        #expect(api.post(.none, to: "/a").method == .post)
        #expect(api.put(.none, to: "/a").method == .put)
        #expect(api.patch("/a", with: .none).method == .patch)
        #expect(api.delete("/a").method == .delete)
        #expect(api.head("/a").method == .head)
        #expect(api.get(json: Int.self, from: "/a").method == .get)
    }

    @Test("verbs send the given body")
    func bodies() throws {
        let body = RequestBody.data(Data("x".utf8))
        #expect(try api.post(.text("x"), to: "/a").prepared().body == body)
        #expect(try api.put(.text("x"), to: "/a").prepared().body == body)
        #expect(try api.patch("/a", with: .text("x")).prepared().body == body)
    }

    @Test("`json:` verbs send a value as JSON")
    func jsonBodies() throws {
        for request in [
            api.post(json: [1, 2], to: "/a"), api.put(json: [1, 2], to: "/a"), api.patch(json: [1, 2], to: "/a"),
        ] {
            #expect(try request.prepared().body == .data(json))
            #expect(try request.prepared().header == [.contentType(.json)])
        }
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
