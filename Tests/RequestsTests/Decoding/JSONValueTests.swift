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

    @Test(
        "a whole number is an integer, however it is written",
        arguments: ["2.0", "2e0", "1844674407366666744.066", "9007199254740993.5"]
    )
    func wholeNumber(text: String) throws {
        let value = try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
        guard case .integer = value else { return #expect(Bool(false), "\(value) isn't an integer") }
        #expect(try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(value)) == value)
    }

    @Test(
        "a number beyond the range of Double is its greatest or least finite value",
        arguments: [
            ("1e400", .greatestFiniteMagnitude), ("-1e400", -.greatestFiniteMagnitude),
            ("1E+999", .greatestFiniteMagnitude), ("-2.5e309", -.greatestFiniteMagnitude),
            ("401 digits", .greatestFiniteMagnitude),
        ] as [(String, Double)]
    )
    func beyondDouble(text: String, number: Double) throws {
        let text = text == "401 digits" ? "9" + String(repeating: "0", count: 400) : text
        let value = try JSONDecoder().decode(JSONValue.self, from: Data(#"{"a": [\#(text)]}"#.utf8))
        #expect(value == .object(["a": .array([.number(number)])]))
    }

    @Test(
        "a whole number beyond 64 bits keeps its 38 digits",
        arguments: [
            "9223372036854775807", "9223372036854775808", "18446744073709551615", "-9223372036854775809",
            "-18446744073709551617", "12345678901234567890123456789012345678",
        ]
    )
    func wholeBeyond64Bits(text: String) throws {
        let value = try JSONDecoder().decode(JSONValue.self, from: Data("[\(text)]".utf8))
        #expect(try JSONEncoder().encode(value) == Data("[\(text)]".utf8))
        #expect("\(value)" == "[\(text)]")
        #expect(value == value && value != [.number(Double(text) ?? 0)])
        #expect(Set([value, value]).count == 1)
    }

    @Test("a negative zero keeps its sign", arguments: ["-0.0", "-0", "-0e5"])
    func negativeZero(text: String) throws {
        let value = try JSONDecoder().decode([JSONValue].self, from: Data("[\(text)]".utf8))
        guard case .number(let number)? = value.first else { return #expect(Bool(false), "\(value)") }
        #expect(number == 0 && number.sign == .minus)
        #expect(value == [0] && value.hashValue == ([0] as [JSONValue]).hashValue)
        let again = try JSONDecoder().decode(Double.self, from: JSONEncoder().encode(value[0]))
        #expect(again.sign == .minus)
        guard case .number(let literal) = -0.0 as JSONValue else { return #expect(Bool(false), "not a number") }
        #expect(literal.sign == .minus)
    }

    @Test("a number too small for Double is zero", arguments: ["1e-400", "-1e-400"])
    func underflow(text: String) throws {
        #expect(try JSONDecoder().decode([JSONValue].self, from: Data("[\(text)]".utf8)) == [0])
    }

    @Test("a whole number as a floating-point literal equals the integer")
    func wholeLiteral() {
        #expect(2.0 as JSONValue == 2 as JSONValue)
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

    @Test("a member, an element and a string can be read, and are nil if they don't exist")
    func reading() {
        let value: JSONValue = ["a": [1, ["b": "c"]], "n": nil]
        #expect(value["a"]?[1]?["b"]?.string == "c")
        #expect(value["a"]?[0] == 1)
        #expect(value["n"] == .some(.null))
        #expect(value["x"] == nil)
        for missing in [value[0], value["a"]?[2], value["a"]?[-1], value["a"]?["b"], value["n"]?["a"]] {
            #expect(missing == nil)
        }
        #expect(value["a"]?[0]?.string == nil)
    }

    /// Runs a closure on a thread with 512 KiB of stack, like secondary threads on Apple platforms.
    private func onSmallStack<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            let thread = Thread { continuation.resume(returning: body()) }
            thread.stackSize = 512 << 10
            thread.start()
        }
    }

    private static func nested(_ depth: Int) -> JSONValue { (0..<depth).reduce(.null) { value, _ in .array([value]) } }

    private static func text(_ depth: Int, _ open: String = "[", _ close: String = "]") -> Data {
        Data((String(repeating: open, count: depth) + String(repeating: close, count: depth)).utf8)
    }

    @Test("a value nested 100 levels deep is decoded and encoded on a small stack")
    func deepest() async throws {
        let isEqual = await onSmallStack { () -> Bool in
            let value = try? JSONDecoder().decode(JSONValue.self, from: Self.text(100))
            let encoded = value.flatMap { try? JSONEncoder().encode($0) }
            return encoded == Self.text(100)
        }
        #expect(isEqual)
    }

    @Test("deeper JSON is a decoding error, not a stack overflow", arguments: [101, 300, 511, 100_000])
    func tooDeep(depth: Int) async {
        for (open, close) in [("[", "]"), (#"{"a":"#, "}")] {
            let data = Data((String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)).utf8)
            let error = await onSmallStack { () -> (any Error)? in
                do {
                    _ = try JSONDecoder().decode(JSONValue.self, from: data)
                    return nil
                } catch { return error }
            }
            #expect(error is DecodingError)
        }
    }

    @Test("a value 100,000 levels deep can be compared, hashed, printed and dropped, and encoding it throws")
    func dropped() async {
        let error = await onSmallStack { () -> (any Error)? in
            var object = JSONValue.null
            for _ in 0..<100_000 { object = ["a": object, "b": 1] }
            let (value, other) = (Self.nested(100_000), Self.nested(100_000))
            guard value == other, value.hashValue == other.hashValue, value != object, "\(value)".count < 100 else {
                return nil
            }
            do {
                _ = try JSONEncoder().encode([value, object])
                return nil
            } catch { return error }
        }
        #expect(error is EncodingError)
    }

    @Test("values are equal if all their parts are equal")
    func equality() {
        let values: [JSONValue] = [
            [1, [2]], [1, [3]], [1], ["a": [1]], ["a": [2]], ["b": [1]], ["a": [1], "b": nil], [:], [], nil, 1, 1.5,
            "1",
        ]
        for (index, value) in values.enumerated() {
            for (other, otherValue) in values.enumerated() { #expect((value == otherValue) == (index == other)) }
        }
        #expect(Set(values + values).count == values.count)
    }
}
