import Foundation
import Requests
import Testing

@Suite("JSON values", .timeLimit(.minutes(5)))
struct JSONValueTests {
    @Test(
        "every JSON value decodes to its case, and encodes back",
        arguments: [
            ("null", .null), ("true", .bool(true)), ("0", .integer(0)), ("-9223372036854775808", .integer(.min)),
            ("1.5", .number(1.5)), ("1e30", .number(1e30)), ("\"1\"", .string("1")), ("[]", .array([])),
            ("{}", .object([:])),
            ("[null,{\"a\":[1,false]}]", .array([.null, .object(["a": .array([.integer(1), .bool(false)])])])),
        ] as [(String, JSONValue)]
    )
    func roundTrip(text: String, value: JSONValue) throws {
        #expect(try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8)) == value)
        #expect(try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(value)) == value)
    }

    @Test("a JSON value can be written as a literal")
    func literal() {
        let name = "Ada"
        let value: JSONValue = ["a": 1, "b": [true, nil, 0.5, "x"], "c": ["d": "\(name)!"], "e": [:]]
        let expected: [String: JSONValue] = [
            "a": .integer(1), "b": .array([.bool(true), .null, .number(0.5), .string("x")]),
            "c": .object(["d": .string("Ada!")]), "e": .object([:]),
        ]
        #expect(value == .object(expected))
    }
}
