import Foundation
import Requests
import Testing

@Suite("A JSON value")
struct JSONValueTests {
    @Test(
        "is decoded as what it is, and encoded as the same",
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
}
