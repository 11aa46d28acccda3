import Foundation
import RequestsClient
import Testing

private struct User: Codable, Equatable {
    struct Group: Codable, Equatable {
        var id: Int
    }

    var userName: String
    var groups: [Group] = []
}

@Suite("JSON lines of a response", .timeLimit(.minutes(5)))
struct ResponseJSONLinesTests {
    private func response(_ body: ResponseBody) throws -> Response<ResponseBody> {
        try Response(head: ResponseHead(statusCode: 200, url: RequestURL("https://h/log")), content: body)
    }

    @Test("Each line is one value, and blank lines are skipped, however the bytes are cut")
    func values() async throws {
        let text = " {\"userName\":\"ä\",\"groups\":[]}\n\n \t\r\n\r{\"userName\":\"b\",\"groups\":[{\"id\":1}]} "
        for chunks in Data(text.utf8).cuts {
            let (users, error) = try await response(ResponseBody(chunks: chunks)).jsonLines(of: User.self).elements()
            #expect(users == [User(userName: "ä"), User(userName: "b", groups: [User.Group(id: 1)])])
            #expect(error == nil)
        }
    }

    @Test("Values can have any JSON type")
    func scalars() async throws {
        let response = try response(ResponseBody(Data("1\nnull\n3".utf8)))
        var numbers: [Int?] = []
        for try await number in response.jsonLines(of: Int?.self) { numbers.append(number) }
        #expect(numbers == [1, nil, 3])
    }

    @Test("The given decoder decodes the values")
    func decoder() async throws {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let response = try response(ResponseBody(Data(#"{"user_name":"a","groups":[]}"#.utf8)))
        #expect(await response.jsonLines(of: User.self, decoder: decoder).elements().elements == [User(userName: "a")])
    }

    @Test(
        "An invalid line throws an error with its number and the path in it, without its content",
        arguments: [
            (#"{"userName":"secret","groups":[{"id":1},{"id":"secret"}]}"#, ".groups[1].id isn't an Int"),
            (#"{"groups":[]}"#, "the top level has no key userName"),
            (#"{"userName":null,"groups":[]}"#, ".userName is null, not a String"),
            (#"{"userName":"secret""#, "it isn't valid JSON"),
        ]
    )
    func failure(line: String, reason: String) async throws {
        let good = #"{"userName":"a","groups":[]}"#
        let text = "\(good)\n\n\(line)\r\n\(good)\n"
        for chunks in Data(text.utf8).cuts {
            let (users, error) = try await response(ResponseBody(chunks: chunks)).jsonLines(of: User.self).elements()
            #expect(users.map(\.userName) == ["a"])
            let lineError = try #require(error as? ResponseError)
            #expect(lineError.code == .decoding)
            #expect(lineError.head.statusCode == 200)
            #expect(lineError.data == Data(line.utf8))
            #expect(lineError.message == "Line 3 from https://h/log isn't a User in JSON: \(reason).")
            #expect(lineError.underlying is DecodingError)
        }
    }

    @Test("`dump` of the error shows nothing of the line")
    func redacted() async throws {
        let error = try #require(
            try await response(ResponseBody(Data("\"secret\"".utf8))).jsonLines(of: Int.self).elements().error
        )
        var dumped = ""
        dump(error, to: &dumped)
        #expect(!dumped.contains("secret"))
        #expect(
            error.localizedDescription
                == "decoding: Line 1 from https://h/log isn't an Int in JSON: the top level isn't an Int."
        )
    }

    @Test("A line above the limit throws")
    func limit() async throws {
        let response = try response(ResponseBody(Data("1\n22\n333".utf8)))
        let (numbers, error) = await response.jsonLines(of: Int.self, upTo: 2).elements()
        #expect(numbers == [1, 22])
        #expect((error as? TransportError)?.code == .tooLarge)
    }
}
