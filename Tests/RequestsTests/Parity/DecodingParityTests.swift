import Foundation
import Requests
import RequestsTesting
import Testing

@Suite("Parity in decoding:", .timeLimit(.minutes(5)))
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

    @Test("key strategies: an API's coders count for bodies and responses, and a request's own coder instead of them")
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
        let answer = client(200, #"{"id":1,"first_name":"Ada"}"#)
        #expect(try await answer.send(SnakeAPI().get(json: User.self, from: "/")) == user)
    }

    @Test("decode, finalize, post-process: a decoder with map, asyncMap and onDecoded")
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

    @Test("a serializer that also sees errors: result(of:) has the head and the bytes of what was not accepted")
    func result() async throws {
        let result = await client(418, "teapot").result(of: api.get(.json(encoded: User.self), from: "/"))
        let error = #expect(throws: ResponseError.self) { try result.get() }
        #expect(error?.head.statusCode == 418)
        #expect(error?.data == Data("teapot".utf8))
    }

    @Test("an empty body: Void asks for none, .optional gives nil for it", arguments: [200, 204, 205, 304])
    func emptyBody(status: Int) async throws {
        try decode(.none, "", status: status)
        #expect(try decode(ResponseDecoder.json(encoded: User.self).optional, "", status: status) == nil)
        #expect(throws: ResponseError.self) { try decode(.json(encoded: User.self), "", status: status) }
        let head = api.head("/").receiving(ResponseDecoder.json(encoded: User.self).optional)
        var client = client(status)
        client.configuration.validation = { _ in true }
        #expect(try await client.send(head) == nil)
    }

    @Test("smart unwrap, where a key tells two candidates apart")
    func unwrap() throws {
        let text = #"{"me":{"id":1,"firstName":"A"},"you":{"id":2,"firstName":"B"},"took":3}"#
        #expect(try decode(.unwrapped(User.self, key: "you"), text).id == 2)
        let error = #expect(throws: ResponseError.self) { try decode(.unwrapped(User.self), text) }
        #expect(error?.message.contains("“me”, “you” are all possible") == true)
        #expect(try decode(.unwrapped([User].self), #"{"users":[{"id":1,"firstName":""}],"took":3}"#).count == 1)
    }

    @Test("lossy arrays: beside other arrays, in models, and in other lossy arrays; what is dropped is told")
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

    @Test("a fallback type, which may be an array or Data on either side")
    func fallback() throws {
        let users = ResponseDecoder.json(encoded: [User].self)
        guard case .fallback(let bytes, let reason) = try decode(users.fallback(to: .data), "no JSON") else {
            Issue.record("no fallback")
            return
        }
        #expect(bytes == Data("no JSON".utf8))
        #expect((reason as? ResponseError)?.code == .decoding)
        guard
            case .fallback(["a"], because: _) = try decode(users.fallback(to: .json(encoded: [String].self)), #"["a"]"#)
        else {
            Issue.record("no array")
            return
        }
        guard case .primary(let data) = try decode(ResponseDecoder.data.fallback(to: users), "[]") else {
            Issue.record("no data")
            return
        }
        #expect(data == Data("[]".utf8))
    }

    @Test("GraphQL errors are thrown, and the result is decoded without a type's name")
    func graphQL() throws {
        #expect(try decode(.graphQL([String: User].self), #"{"data":{"me":{"id":1,"firstName":""}}}"#)["me"]?.id == 1)
        let error = #expect(throws: ResponseError.self) {
            try decode(.graphQL([String: User].self), #"{"errors":[{"message":"no"}]}"#)
        }
        #expect(error?.code == .graphQL)
        #expect((error?.underlying as? GraphQLErrors)?.errors.map(\.message) == ["no"])
    }

    @Test(
        "status validation: 200 to 299 unless somebody says otherwise",
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
        lenient.configuration.validation = { $0.statusCode < 500 }
        #expect((try? await lenient.send(request)) != nil || status >= 500)
        try await client(status).send(request.receiving(ResponseDecoder.none.validating(status: [status])))
    }
}
