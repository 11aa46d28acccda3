import Foundation
import Requests
import Testing

@Suite("Response errors", .timeLimit(.minutes(5)))
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
        "The message says where the decoder stopped and what it expected",
        arguments: [
            (#"{"id":"x","owners":[]}"#, ".id isn't an Int"), (#"{"id":null,"owners":[]}"#, ".id is null, not an Int"),
            (#"{"id":1}"#, "the top level has no key owners"),
            (#"{"id":1,"owners":[{"name":"a"},{}]}"#, ".owners[1] has no key name"),
            ("[]", "the top level isn't an object"), ("{", "it isn't valid JSON"), ("", "it is empty"),
            (#"{"id":1,"owners":{}}"#, ".owners isn't an array"),
            (#"{"id":"s3cret","owners":[]}"#, ".id isn't an Int"),
        ]
    )
    func reasons(text: String, reason: String) throws {
        let message = try failure(decoding: Account.self, from: text).message
        let body = "The body from https://h/a?token=REDACTED (\(text.utf8.count) bytes)"
        #expect(message == "\(body) isn't an Account in JSON: \(reason).")
    }

    @Test("A type's own error about the top level isn't reported as invalid JSON")
    func topLevel() throws {
        struct Even: Decodable {
            init(from decoder: any Decoder) throws {
                let container = try decoder.singleValueContainer()
                guard try container.decode(Int.self).isMultiple(of: 2) else {
                    throw DecodingError.dataCorruptedError(in: container, debugDescription: "odd")
                }
            }
        }
        let message = try failure(decoding: Even.self, from: "3").message
        #expect(message.hasSuffix("isn't an Even in JSON: the top level is invalid."))
    }

    @Test(
        "The message names a media type that isn't JSON, without its parameters",
        arguments: [
            ("text/html; charset=utf-8; key=s3cret", " Its Content-Type is text/html."),
            ("Application/XHTML+XML", " Its Content-Type is application/xhtml+xml."),
            ("application/json; charset=utf-8", ""), ("application/vnd.api+json", ""), ("text/json", ""),
            ("s3cret", ""), ("", ""), (nil, ""),
        ] as [(String?, String)]
    )
    func contentType(type: String?, end: String) throws {
        let page = try failure(decoding: Account.self, from: "<html>", as: type)
        #expect(page.message.hasSuffix("isn't an Account in JSON: it isn't valid JSON." + end))
        let empty = try failure(decoding: Account.self, from: "", as: type)
        #expect(empty.message.hasSuffix(": it is empty." + end))
    }

    @Test(
        "The description is one line without the body and without secrets",
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
        "Keys of the document are shown on one line",
        arguments: [#"{"a\nb":"x"}"#, #"{"a\r\nb":null}"#, #"{"a\u2028b":[]}"#]
    )
    func keys(text: String) throws {
        #expect(try !failure(decoding: [String: Int].self, from: text).message.contains { $0.isNewline })
    }

    @Test("The message names the type of another decoder's error")
    func ownError() throws {
        struct Refusing: Decodable {
            struct Failure: Error {}
            init(from decoder: any Decoder) throws { throw Failure() }
        }
        let error = try failure(decoding: Refusing.self, from: "1")
        #expect(error.message.hasSuffix("isn't a Refusing in JSON: Failure."))
        #expect(error.underlying is Refusing.Failure)
    }

    @Test("The code and the message are printed the same way everywhere")
    func description() throws {
        let head = try ResponseHead(statusCode: 500, url: RequestURL("https://h"))
        let error = ResponseError(code: .status, head: head, data: Data("s3cret".utf8), message: "h answered 500")
        #expect(error.description == "status: h answered 500")
        #expect(error.debugDescription == error.description)
        #expect(error.errorDescription == error.description)
        #expect(error.localizedDescription == error.description)
    }

    @Test(
        "Broken JSON gives the same error for JSONValue as for a string",
        arguments: ["{", "tru", "nul", "\"a", "01", "-", "1.", "1e", "+1", "NaN", "\"\\x\"", "1 2", "\u{0}"]
    )
    func brokenJSON(text: String) throws {
        func reason(_ decode: (ResponseHead) throws -> Any) throws -> String {
            let head = try ResponseHead(statusCode: 200, url: RequestURL("https://a.example/"))
            let error = try #require(throws: ResponseError.self) { _ = try decode(head) }
            return error.message.components(separatedBy: "JSON: ").last ?? ""
        }
        let (plain, array) = (Data(text.utf8), Data("[\(text)]".utf8))
        #expect(
            try reason { try ResponseDecoder.json(JSONValue.self).decode($0, plain) }
                == reason { try ResponseDecoder.json(String.self).decode($0, plain) }
        )
        #expect(
            try reason { try ResponseDecoder.json(JSONValue.self).decode($0, array) }
                == reason { try ResponseDecoder.json([String].self).decode($0, array) }
        )
    }
}
