import Foundation
import Requests
import Testing

@Suite("The JSON coders of an API")
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
