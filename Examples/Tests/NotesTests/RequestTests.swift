import Foundation
import Notes
import RequestsTesting
import Testing

@Suite("Notes API requests", .timeLimit(.minutes(5)))
struct RequestTests {
    private let api = NotesAPI(baseURL: URL("https://notes.example.com/v1"), token: "s3cret")

    @Test("A note is requested by its number")
    func note() throws {
        let request = try api.note(7).prepared()
        #expect(request.method == .get)
        #expect(request.url.text == "https://notes.example.com/v1/notes/7")
    }

    @Test("Every request accepts JSON and has the token")
    func fields() throws {
        let requests = [try api.note(1).prepared(), try api.search("milk", perPage: 2).prepared()]
        for request in requests {
            #expect(request.header[.accept] == "application/json")
            #expect(request.header[.authorization] == "Bearer s3cret")
        }
    }

    @Test("Descriptions don't contain the token")
    func secrets() throws {
        let request = try api.note(1).prepared()
        #expect(!request.curlCommand().contains("s3cret"))
        #expect(!request.httpMessage().contains("s3cret"))
    }

    @Test("A search word with any characters is one query item", arguments: ["milk", "a & b", "50 %", "naïve?"])
    func search(word: String) throws {
        let items = try api.search(word, perPage: 2).prepared().url.queryItems
        #expect(items == [URLQueryItem(name: "q", value: word), URLQueryItem(name: "per_page", value: "2")])
    }

    @Test("A known version adds only If-None-Match")
    func condition() throws {
        let difference = try api.note(7, known: "v1").prepared().difference(from: api.note(7).prepared())
        #expect(difference.description == "+ If-None-Match: \"v1\"")
    }

    @Test("A replacement has If-Match with the version")
    func replacement() throws {
        let note = Note(id: 7, text: "bread", version: Field.EntityTag(value: "v1", isWeak: true))
        let request = try api.replace(note).prepared()
        #expect(request.method == .put)
        #expect(request.header[.ifMatch] == "W/\"v1\"")
    }

    @Test("Two replacements differ only in their text")
    func difference() throws {
        let bread = try api.replace(Note(id: 7, text: "bread", version: "v1")).prepared()
        let cheese = try api.replace(Note(id: 7, text: "cheese", version: "v1")).prepared()
        #expect(
            cheese.difference(from: bread).description == """
                - body.text: "bread"
                + body.text: "cheese"
                """
        )
    }

    @Test("Adding a note has an idempotency key")
    func addition() throws {
        let request = try api.add("milk", key: "k1").prepared()
        #expect(request.header[.idempotencyKey] == "k1")
        #expect(request.body == .data(Data(#"{"text":"milk"}"#.utf8)))
    }
}
