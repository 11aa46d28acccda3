import RequestsSchemes
import RequestsTesting
import Testing

@Suite("An API's JSON coders", .timeLimit(.minutes(5)))
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

    @Test("the coders encode the bodies of the `json:` verbs")
    func encoding() throws {
        let api = SnakeAPI()
        let requests = [
            api.post(json: person, to: "/p"), api.put(json: person, to: "/p"), api.patch(json: person, to: "/p"),
        ]
        #expect(requests.map(\.method) == [.post, .put, .patch])
        for request in requests {
            #expect(try request.prepared().body == .data(Data(snake.utf8)))
            #expect(try request.prepared().header == [.contentType(.json)])
        }
    }

    @Test("the coders decode JSON for every response decoder without a JSON decoder, also inside combinators")
    func inherited() async throws {
        let api = SnakeAPI()
        let url = try RequestURL("https://api.example.com/p")
        let head = try ResponseHead(statusCode: 200, header: [.contentType(.json)], url: url)
        func decoded<T>(_ decoder: ResponseDecoder<T>, _ text: String) throws -> T {
            try api.get(decoder, from: "/p").responseDecoder.decode(head, Data(text.utf8))
        }
        #expect(try decoded(.json(Person.self), snake) == person)
        #expect(try decoded(.json(Person.self, at: "list.0"), #"{"list":[\#(snake)]}"#) == person)
        #expect(try decoded(.unwrapped(Person.self), #"{"person":\#(snake)}"#) == person)
        #expect(try decoded(.unwrapped(Person.self, key: "person"), #"{"person":\#(snake)}"#) == person)
        #expect(try decoded(.lossyArray(of: Person.self), "[1,\(snake)]") == [person])
        #expect(try decoded(.graphQL(Person.self), #"{"data":\#(snake)}"#) == person)
        let json = ResponseDecoder.json(Person.self)
        #expect(try decoded(json.map { [$0] }, snake) == [person])
        #expect(try decoded(json.optional, snake) == person)
        #expect(try decoded(json.onDecoded { _ in }, snake) == person)
        #expect(try decoded(json.validating(contentType: .json), snake) == person)
        #expect(try decoded(.oneOf(status: [200: json.validating(status: [200])]), snake) == person)
        guard case .fallback(person, _) = try decoded(ResponseDecoder.json(Int.self).fallback(to: json), snake)
        else { return #expect(Bool(false), "the fallback decoder doesn't use the API's coders") }
        #expect(try decoded(.unwrapped(Person.self, key: "thePerson"), #"{"the_person":\#(snake)}"#) == person)
        // A decoder that specifies a JSON decoder, and one without an API.
        #expect(throws: ResponseError.self) { try decoded(.json(Person.self, decoder: JSONDecoder()), snake) }
        #expect(throws: ResponseError.self) { try json.decode(head, Data(snake.utf8)) }
    }

    @Test("the coders decode JSON for asynchronous decoders and for the bodies of failures")
    func inheritedByAsynchronous() async throws {
        struct Problem: Error, Decodable { var userName: String }
        let transport = StubTransport { [snake] request in
            let isFound = request.url.path == "/p"
            let header: Header = [.contentType(.json)]
            let body = isFound ? snake : #"{"user_name":"ada"}"#
            return try .stub(isFound ? 200 : 404, header: header, body: Data(body.utf8), for: request)
        }
        let client = Client(transport: transport)
        let asynchronous = ResponseDecoder.json(Person.self).asyncMap { $0 }
        func received<T>(_ decoder: ResponseDecoder<T>) async throws -> T {
            try await client.send(SnakeAPI().get(decoder, from: "/p"))
        }
        #expect(try await received(asynchronous) == person)
        #expect(try await received(asynchronous.map { [$0] }) == [person])
        #expect(try await received(asynchronous.optional) == person)
        #expect(try await received(asynchronous.validating(contentType: .json)) == person)
        #expect(try await received(.oneOf(status: [200: asynchronous])) == person)
        guard case .primary(person) = try await received(asynchronous.fallback(to: .text)) else {
            return #expect(Bool(false), "the fallback was used")
        }
        let failing = ResponseDecoder.oneOf(status: [200: asynchronous.decodingErrors(as: Problem.self)])
        let error = await #expect(throws: ResponseError.self) {
            try await client.send(SnakeAPI().get(failing, from: "/none"))
        }
        #expect((error?.underlying as? Problem)?.userName == "ada")
    }

    @Test(
        "the default encoder sorts members and doesn't escape slashes, so that equal values have equal bytes"
    )
    func order() throws {
        let values = Dictionary(uniqueKeysWithValues: "hbdfaceg".map { ("\($0)/", 1) })
        let body = try BaseURL("https://h").post(json: values, to: "/").prepared().body
        #expect(body == .data(Data(#"{"a/":1,"b/":1,"c/":1,"d/":1,"e/":1,"f/":1,"g/":1,"h/":1}"#.utf8)))
    }

    @Test("an API without coders and an explicit `.json(encoded:)` use the standard coders")
    func standard() throws {
        let request = try BaseURL("https://h").post(json: person, to: "/").prepared()
        #expect(request.body == .data(Data(#"{"firstName":"Ada"}"#.utf8)))
        #expect(try SnakeAPI().post(.json(encoded: person), to: "/").prepared().body == request.body)
    }
}
