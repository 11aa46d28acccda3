import Foundation
import Requests
import RequestsTesting
import Testing

@Suite("The JSON coders of an API", .timeLimit(.minutes(5)))
struct JSONCodersTests {
    private struct SnakeAPI: RequestProviding {
        let baseURL = URL("https://api.example.com")
        let coders: JSONCoders = {
            let encoder = JSONEncoder()
            encoder.keyEncodingStrategy = .convertToSnakeCase
            let decoder = JSONDecoder()
            decoder.keyDecodingStrategy = .convertFromSnakeCase
            return JSONCoders(encoder: encoder, decoder: decoder)
        }()
    }

    private struct Person: Codable, Equatable {
        var firstName: String
    }

    private let person = Person(firstName: "Ada")
    private let snake = #"{"first_name":"Ada"}"#

    @Test("encode the bodies of the `json:` verbs")
    func encoding() throws {
        let api = SnakeAPI()
        let requests = [
            api.post(json: person, to: "/p"), api.put(json: person, to: "/p"), api.patch("/p", json: person),
        ]
        #expect(requests.map(\.method) == [.post, .put, .patch])
        for request in requests {
            #expect(try request.prepared().body == .data(Data(snake.utf8)))
            #expect(try request.prepared().header == [.contentType(.json)])
        }
    }

    @Test("decode the responses of the `json:` verbs")
    func decoding() throws {
        let request = SnakeAPI().get(json: Person.self, from: "/p")
        let head = try ResponseHead(statusCode: 200, url: RequestURL("https://api.example.com/p"))
        #expect(try request.responseDecoder.decode(head, Data(snake.utf8)) == person)
    }

    @Test("read JSON for every decoder that is given no other, and for what decoders are made of")
    func inherited() async throws {
        let api = SnakeAPI()
        let url = try RequestURL("https://api.example.com/p")
        let head = try ResponseHead(statusCode: 200, header: [.contentType(.json)], url: url)
        func decoded<T>(_ decoder: ResponseDecoder<T>, _ text: String) throws -> T {
            try api.get(decoder, from: "/p").responseDecoder.decode(head, Data(text.utf8))
        }
        #expect(try decoded(.json(encoded: Person.self), snake) == person)
        #expect(try decoded(.json(encoded: Person.self, at: "list.0"), #"{"list":[\#(snake)]}"#) == person)
        #expect(try decoded(.unwrapped(Person.self), #"{"person":\#(snake)}"#) == person)
        #expect(try decoded(.unwrapped(Person.self, key: "person"), #"{"person":\#(snake)}"#) == person)
        #expect(try decoded(.lossyArray(of: Person.self), "[1,\(snake)]") == [person])
        #expect(try decoded(.graphQL(Person.self), #"{"data":\#(snake)}"#) == person)
        let json = ResponseDecoder.json(encoded: Person.self)
        #expect(try decoded(json.map { [$0] }, snake) == [person])
        #expect(try decoded(json.optional, snake) == person)
        #expect(try decoded(json.onDecoded { _ in }, snake) == person)
        #expect(try decoded(json.validating(contentType: .json), snake) == person)
        #expect(try decoded(.oneOf(status: [200: json.validating(status: [200])]), snake) == person)
        guard case .fallback(person, _) = try decoded(ResponseDecoder.json(encoded: Int.self).fallback(to: json), snake)
        else { return #expect(Bool(false), "the decoder to fall back to reads JSON otherwise") }
        #expect(try decoded(.unwrapped(Person.self, key: "thePerson"), #"{"the_person":\#(snake)}"#) == person)
        // One of its own, and one without an API.
        #expect(throws: ResponseError.self) { try decoded(.json(encoded: Person.self, decoder: JSONDecoder()), snake) }
        #expect(throws: ResponseError.self) { try json.decode(head, Data(snake.utf8)) }
    }

    @Test("read JSON for decoders that wait, and for what they say of a failure")
    func inheritedByWaiting() async throws {
        struct Problem: Error, Decodable { var userName: String }
        let transport = StubTransport { [snake] request in
            let isFound = request.url.path == "/p"
            let header: Header = [.contentType(.json)]
            let body = isFound ? snake : #"{"user_name":"ada"}"#
            return try .stub(isFound ? 200 : 404, header: header, body: Data(body.utf8), for: request)
        }
        let client = Client(transport: transport)
        let waiting = ResponseDecoder.json(encoded: Person.self).asyncMap { $0 }
        func received<T>(_ decoder: ResponseDecoder<T>) async throws -> T {
            try await client.send(SnakeAPI().get(decoder, from: "/p"))
        }
        #expect(try await received(waiting) == person)
        #expect(try await received(waiting.map { [$0] }) == [person])
        #expect(try await received(waiting.optional) == person)
        #expect(try await received(waiting.validating(contentType: .json)) == person)
        #expect(try await received(.oneOf(status: [200: waiting])) == person)
        guard case .primary(person) = try await received(waiting.fallback(to: .text)) else {
            return #expect(Bool(false), "it is not what was asked for")
        }
        let failing = ResponseDecoder.oneOf(status: [200: waiting.errors(as: Problem.self)])
        let error = await #expect(throws: ResponseError.self) {
            try await client.send(SnakeAPI().get(failing, from: "/none"))
        }
        #expect((error?.underlying as? Problem)?.userName == "ada")
    }

    @Test(
        "write members in the order of their names and slashes as they are, so that a request is always the same bytes"
    )
    func order() throws {
        let values = Dictionary(uniqueKeysWithValues: "hbdfaceg".map { ("\($0)/", 1) })
        let body = try AnonymousRequestProvider("https://h").post(json: values, to: "/").prepared().body
        #expect(body == .data(Data(#"{"a/":1,"b/":1,"c/":1,"d/":1,"e/":1,"f/":1,"g/":1,"h/":1}"#.utf8)))
    }

    @Test("are the default ones where an API has none, and beside an explicit `.json`")
    func standard() throws {
        let request = try AnonymousRequestProvider("https://h").post(json: person, to: "/").prepared()
        #expect(request.body == .data(Data(#"{"firstName":"Ada"}"#.utf8)))
        #expect(try SnakeAPI().post(.json(encoded: person), to: "/").prepared().body == request.body)
    }
}
