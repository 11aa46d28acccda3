import Foundation
import Requests
import Testing

@Suite("An error of a response", .timeLimit(.minutes(5)))
struct ResponseErrorTests {
    private enum Role: String, Decodable {
        case admin
    }

    private struct Account: Decodable {
        struct Owner: Decodable {
            var name: String
        }

        var id: Int
        var owners: [Owner]
        var role: Role?
    }

    private func failure<Value: Decodable & Sendable>(
        decoding type: Value.Type,
        from text: String,
        as contentType: String? = nil
    ) throws -> ResponseError {
        let header = Header(contentType.map { [Field(name: .contentType, value: $0)] } ?? [])
        let head = try ResponseHead(statusCode: 200, header: header, url: RequestURL("https://h/a?token=s3cret"))
        return try #require(
            #expect(throws: ResponseError.self) {
                try ResponseDecoder.json(encoded: type).decode(head, Data(text.utf8))
            }
        )
    }

    @Test(
        "says where in the document the decoder stopped, and what it expected there",
        arguments: [
            (#"{"id":"x","owners":[]}"#, ".id is not an Int"), (#"{"id":null,"owners":[]}"#, ".id is null, not an Int"),
            (#"{"id":1}"#, "the top level has no key owners"),
            (#"{"id":1,"owners":[{"name":"a"},{}]}"#, ".owners[1] has no key name"),
            ("[]", "the top level is not an object"), ("{", "it is not valid JSON"), ("", "the body is empty"),
            (#"{"id":1,"owners":{}}"#, ".owners is not an array"),
            (#"{"id":"s3cret","owners":[]}"#, ".id is not an Int"),
        ]
    )
    func reasons(text: String, reason: String) throws {
        let message = try failure(decoding: Account.self, from: text).message
        let start = "the \(text.utf8.count) bytes from https://h/a?token=<redacted> are not the JSON of an Account: "
        #expect(message.hasPrefix(start + reason))
    }

    @Test(
        "names the media type that is not JSON, without its parameters",
        arguments: [
            ("text/html; charset=utf-8; key=s3cret", ", and its Content-Type is text/html"),
            ("Application/XHTML+XML", ", and its Content-Type is application/xhtml+xml"),
            ("application/json; charset=utf-8", ""), ("application/vnd.api+json", ""), ("text/json", ""),
            ("s3cret", ""), ("", ""), (nil, ""),
        ] as [(String?, String)]
    )
    func contentType(type: String?, end: String) throws {
        let page = try failure(decoding: Account.self, from: "<html>", as: type)
        #expect(page.message.hasSuffix("are not the JSON of an Account: it is not valid JSON" + end))
        let empty = try failure(decoding: Account.self, from: "", as: type)
        #expect(empty.message.hasSuffix(": the body is empty" + end))
    }

    @Test(
        "is one line without the body and without secrets",
        arguments: [
            #"{"id":1,"owners":[],"role":"s3cret"}"#, #"{"id":1,"owners":[],"role":"a\nb s3cret"}"#,
            #"{"id":"s3cret","owners":[]}"#,
            "s3cret", "{s3cret", #"{"id":s3cret}"#, "{\"id\":1,\n\"owners\":[\ns3cret",
        ]
    )
    func oneLine(text: String) throws {
        let error = try failure(decoding: Account.self, from: text)
        let texts = [
            error.message, error.description, error.localizedDescription, String(reflecting: error), "\([error])",
        ]
        #expect(!texts.contains { $0.contains("s3cret") })
        #expect(!texts.contains { $0.contains { $0.isNewline } })
    }

    @Test(
        "shows keys of the document as one line",
        arguments: [#"{"a\nb":"x"}"#, #"{"a\r\nb":null}"#, #"{"a\u2028b":[]}"#]
    )
    func keys(text: String) throws {
        #expect(try !failure(decoding: [String: Int].self, from: text).message.contains { $0.isNewline })
    }

    @Test("names the kind of an error that is not the decoder's")
    func ownError() throws {
        struct Refusing: Decodable {
            struct Failure: Error {}
            init(from decoder: any Decoder) throws { throw Failure() }
        }
        let error = try failure(decoding: Refusing.self, from: "1")
        #expect(error.message.hasSuffix("are not the JSON of a Refusing: Failure"))
        #expect(error.underlying is Refusing.Failure)
    }

    @Test("is printed as its code and message, everywhere the same")
    func description() throws {
        let head = try ResponseHead(statusCode: 500, url: RequestURL("https://h"))
        let error = ResponseError(code: .status, head: head, data: Data("s3cret".utf8), message: "h answered 500")
        #expect(error.description == "status: h answered 500")
        #expect(error.debugDescription == error.description)
        #expect(error.errorDescription == error.description)
        #expect(error.localizedDescription == error.description)
    }
}
