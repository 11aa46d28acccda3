import Foundation
import Requests
import RequestsClient
import RequestsSchemes
import RequestsTesting
import Testing

@Suite("Parity of decoding", .timeLimit(.minutes(5)))
struct DecodingParityTests {
    private struct User: Codable, Equatable, Sendable {
        var id: Int
        var firstName = ""
    }

    private struct SnakeAPI: RequestProviding {
        let baseURL = URL("https://h.com")
        let coders: JSONCoders = {
            let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
            encoder.keyEncodingStrategy = .convertToSnakeCase
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            return JSONCoders(encoder: encoder, decoder: decoder)
        }()
    }

    private let api = AnonymousRequestProvider("https://h.com")

    private func decode<T>(_ decoder: ResponseDecoder<T>, _ text: String, status: Int = 200) throws -> T {
        let head = try ResponseHead(statusCode: status, url: RequestURL("https://h.com"))
        return try decoder.decode(head, Data(text.utf8))
    }

    private func client(_ status: Int, _ text: String = "") -> Client {
        Client(transport: StubTransport { try .stub(status, body: Data(text.utf8), for: $0) })
    }

    @Test("an API's coders apply to bodies and responses, and a request can specify other coders")
    func keyStrategies() async throws {
        let echo = Client(transport: StubTransport { try .stub(200, body: $0.body.data ?? Data(), for: $0) })
        let user = User(id: 1, firstName: "Ada")
        let request = SnakeAPI().post(json: user, to: "/")
        #expect(try String(decoding: #require(request.prepared().body.data), as: UTF8.self).contains("first_name"))
        #expect(
            try await echo.send(request.receiving(.json(encoded: User.self, decoder: SnakeAPI().coders.decoder)))
                == user
        )
        let plain = SnakeAPI().post(.json(encoded: user), to: "/").receiving(.json(encoded: User.self))
        #expect(try await echo.send(plain) == user)
        let snake = client(200, #"{"id":1,"first_name":"Ada"}"#)
        #expect(try await snake.send(SnakeAPI().get(json: User.self, from: "/")) == user)
    }

    @Test("`map`, `asyncMap` and `onDecoded` run after decoding, in order")
    func pipeline() async throws {
        let stored = Recorder<User>()
        let decoder = ResponseDecoder.json(encoded: [User].self)
            .map { try #require($0.first) }
            .asyncMap { user in
                await Task.yield()
                return User(id: user.id, firstName: "Ada")
            }
            .onDecoded { stored.record($0) }
        let user = try await client(200, #"[{"id":1,"firstName":""}]"#).send(api.get(decoder, from: "/"))
        #expect(user == User(id: 1, firstName: "Ada"))
        #expect(stored.recorded == [user])
    }

    @Test("the error of `result(of:)` contains the head and the bytes of a rejected response")
    func result() async throws {
        let result = await client(418, "teapot").result(of: api.get(.json(encoded: User.self), from: "/"))
        let error = #expect(throws: ResponseError.self) { try result.get() }
        #expect(error?.head.statusCode == 418)
        #expect(error?.data == Data("teapot".utf8))
    }

    @Test("an empty body decodes to Void, and to nil with `.optional`", arguments: [200, 204, 205, 304])
    func emptyBody(status: Int) async throws {
        try decode(.none, "", status: status)
        #expect(try decode(ResponseDecoder.json(encoded: User.self).optional, "", status: status) == nil)
        #expect(throws: ResponseError.self) { try decode(.json(encoded: User.self), "", status: status) }
        let head = api.head("/").receiving(ResponseDecoder.json(encoded: User.self).optional)
        var client = client(status)
        client.configuration.validation = .none
        #expect(try await client.send(head) == nil)
    }

    @Test("`unwrapped(key:)` distinguishes two possible members")
    func unwrap() throws {
        let text = #"{"me":{"id":1,"firstName":"A"},"you":{"id":2,"firstName":"B"},"took":3}"#
        #expect(try decode(.unwrapped(User.self, key: "you"), text).id == 2)
        let error = #expect(throws: ResponseError.self) { try decode(.unwrapped(User.self), text) }
        #expect(error?.message.contains("“me”, “you” all match") == true)
        #expect(try decode(.unwrapped([User].self), #"{"users":[{"id":1,"firstName":""}],"took":3}"#).count == 1)
    }

    @Test("lossy arrays work next to other arrays and nested, and report dropped elements")
    func lossyArrays() throws {
        struct Feed: Decodable, Sendable {
            @LossyArray var users: [User]
            var tags: [String]
            @LossyArray var groups: [LossyArray<User>]
        }
        let (good, bad) = (#"{"id":1,"firstName":"A"}"#, #"{"id":"x"}"#)
        let feed = try decode(
            .json(encoded: Feed.self),
            #"{"tags":["a","b"],"users":[\#(bad),\#(good),7,null],"groups":[[\#(bad)],[\#(good),[]]]}"#
        )
        #expect(feed.users.map(\.id) == [1])
        #expect(feed.$users.map(\.index) == [0, 2, 3])
        #expect(feed.tags == ["a", "b"])
        #expect(feed.groups.map(\.wrappedValue.count) == [0, 1])
        #expect(try decode(.lossyArray(of: User.self), "[\(bad),[\(good)],\(good)]").map(\.id) == [1])
        #expect(throws: ResponseError.self) {
            try decode(.json(encoded: Feed.self), #"{"tags":[1],"users":[],"groups":[]}"#)
        }
    }

    @Test("either type of a fallback may be an array or Data")
    func fallback() throws {
        let users = ResponseDecoder.json(encoded: [User].self)
        guard case .fallback(let bytes, let reason) = try decode(users.fallback(to: .data), "no JSON") else {
            Issue.record("the fallback wasn't used")
            return
        }
        #expect(bytes == Data("no JSON".utf8))
        #expect((reason as? ResponseError)?.code == .decoding)
        guard
            case .fallback(["a"], because: _) = try decode(users.fallback(to: .json(encoded: [String].self)), #"["a"]"#)
        else {
            Issue.record("the fallback isn't the array")
            return
        }
        guard case .primary(let data) = try decode(ResponseDecoder.data.fallback(to: users), "[]") else {
            Issue.record("the primary decoder wasn't used")
            return
        }
        #expect(data == Data("[]".utf8))
    }

    @Test("GraphQL errors are thrown, and GraphQL data is decoded")
    func graphQL() throws {
        #expect(try decode(.graphQL([String: User].self), #"{"data":{"me":{"id":1,"firstName":""}}}"#)["me"]?.id == 1)
        let error = #expect(throws: ResponseError.self) {
            try decode(.graphQL([String: User].self), #"{"errors":[{"message":"no"}]}"#)
        }
        #expect(error?.code == .graphQL)
        #expect((error?.underlying as? GraphQL.Errors)?.errors.map(\.message) == ["no"])
    }

    @Test(
        "statuses from 200 to 299 are accepted by default, and the client and the decoder can change that",
        arguments: [199, 200, 299, 300, 402, 404, 503]
    )
    func validation(status: Int) async throws {
        let request = api.get(.none, from: "/")
        let result = await client(status).result(of: request)
        if (200..<300).contains(status) {
            try result.get()
        } else {
            let error = #expect(throws: ResponseError.self) { try result.get() }
            #expect(error?.code == .status)
            #expect(error?.head.statusCode == status)
        }
        var lenient = client(status)
        lenient.configuration.validation = Client.Validation { $0.statusCode < 500 }
        #expect((try? await lenient.send(request)) != nil || status >= 500)
        try await client(status).send(request.receiving(ResponseDecoder.none.validating(status: [status])))
    }
}
