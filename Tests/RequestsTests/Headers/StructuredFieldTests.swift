import RequestsTestSupport
import RequestsTesting
import Testing

@testable import RequestsSchemes

@Suite("Structured fields", .timeLimit(.minutes(5)))
struct StructuredFieldTests {
    static let items: [(SampleText, StructuredField.Value)] = [
        ("42", .integer(42)), ("-0", .integer(0)), ("00", .integer(0)),
        ("-999999999999999", .integer(-999_999_999_999_999)),
        ("4.50", .decimal(4.5)), ("-0.125", .decimal(-0.125)), ("\"\"", .string("")),
        ("\"a \\\" b \\\\ c\"", .string("a \" b \\ c")), ("foo123/456", .token("foo123/456")), ("*a:b", .token("*a:b")),
        ("A_B", .token("A_B")), (":aGVsbG8=:", .bytes(Data("hello".utf8))), (":aGVsbG8:", .bytes(Data("hello".utf8))),
        ("::", .bytes(Data())), ("?1", .boolean(true)), ("?0", .boolean(false)),
        ("@1659578233", .date(Date(timeIntervalSince1970: 1_659_578_233))),
        ("@-62135596800", .date(Date(timeIntervalSince1970: -62_135_596_800))),
        ("%\"f%c3%bc%c3%bc\"", .displayString("füü")), ("  1  ", .integer(1)),
    ]

    @Test("An item of each type is parsed", arguments: items)
    func parsed(text: SampleText, expected: StructuredField.Value) throws {
        #expect(try StructuredField.parseItem(text.text) == StructuredField.Item(expected))
    }

    @Test("Values are serialized in their canonical form", arguments: items)
    func serialized(text: SampleText, value: StructuredField.Value) throws {
        let serialized = try StructuredField.serialize(StructuredField.Item(value))
        #expect(try StructuredField.parseItem(serialized).value == value)
    }

    @Test(
        "A malformed item is rejected",
        arguments: [
            "", "-", "--1", "1.", "1.2345", "1234567890123456", "1234567890123.0", ".5", "\"a", "\"\u{7F}\"", "\"\\a\"",
            "\"é\"", ":a", ":_-:", ":aG=2:", ":=:a:", "?2", "?", "@1.5", "@", "%\"%C3\"", "%\"%c3\"", "%f", "%\"",
            "a b", "1, 2", "()", "a;",
            "a;=1", "a;B", "a;b=", "a;b=(1)", "\t1", "1\t", "é", "=",
        ] as [SampleText]
    )
    func malformedItems(text: SampleText) {
        #expect(throws: RequestError.self) { try StructuredField.parseItem(text.text) }
    }

    @Test("A key can contain digits and some symbols", arguments: ["a1", "a_", "a-", "a.", "a*", "*"])
    func keys(key: String) throws {
        #expect(try StructuredField.parseDictionary("\(key)=1").keys == [key])
    }

    @Test("A list contains items, parameters and inner lists")
    func lists() throws {
        let list = try StructuredField.parseList("a;q=0.5;x , (\"b\" 1;y);z=?0,\t2")
        #expect(
            list == [
                StructuredField.Item(.token("a"), parameters: ["q": .decimal(0.5), "x": .boolean(true)]),
                StructuredField.Item(
                    .innerList([
                        StructuredField.Item(.string("b")),
                        StructuredField.Item(.integer(1), parameters: ["y": .boolean(true)]),
                    ]),
                    parameters: ["z": .boolean(false)]
                ),
                StructuredField.Item(.integer(2)),
            ]
        )
        #expect(try StructuredField.serialize(list) == "a;q=0.5;x, (\"b\" 1;y);z=?0, 2")
        #expect(try StructuredField.parseList("").isEmpty)
        #expect(try StructuredField.parseList("()") == [StructuredField.Item(.innerList([]))])
    }

    @Test("A dictionary keeps the order of its keys, and the last value of a repeated one")
    func dictionaries() throws {
        let dictionary = try StructuredField.parseDictionary("b=1, a, b=2, c;p=1, d=?0, e=(1 2)")
        #expect(dictionary.keys == ["b", "a", "c", "d", "e"])
        #expect(dictionary["b"] == StructuredField.Item(.integer(2)))
        #expect(try StructuredField.serialize(dictionary) == "b=2, a, c;p=1, d=?0, e=(1 2)")
        #expect(try StructuredField.parseDictionary("").keys.isEmpty)
    }

    @Test(
        "A malformed list or dictionary is rejected",
        arguments: ["a,", "a,,b", ",a", "a b", "(1", "(1,2)", "((1))", "(1 2)b", "(a\"b\")"] as [SampleText]
    )
    func malformedLists(text: SampleText) {
        #expect(throws: RequestError.self) { try StructuredField.parseList(text.text) }
        #expect(throws: RequestError.self) { try StructuredField.parseDictionary("k=" + text.text) }
    }

    @Test("A value that can't be represented isn't serialized")
    func unrepresentable() {
        let values: [StructuredField.Value] = [
            .integer(1_000_000_000_000_000), .decimal(1_000_000_000_000), .decimal(Decimal.nan), .string("é"),
            .string("\n"), .token(""), .token("1a"), .token("a b"), .date(Date(timeIntervalSince1970: .infinity)),
            .innerList([StructuredField.Item(.innerList([]))]),
        ]
        for value in values {
            #expect(throws: RequestError.self) { try StructuredField.serialize([StructuredField.Item(value)]) }
        }
    }

    @Test("A key with other characters and a list as a parameter aren't serialized")
    func invalidKeys() {
        #expect(throws: RequestError.self) { try StructuredField.serialize(["A": StructuredField.Item(.integer(1))]) }
        #expect(throws: RequestError.self) { try StructuredField.serialize(["": StructuredField.Item(.integer(1))]) }
        let parameters: StructuredField.Members<StructuredField.Value> = ["a": .innerList([])]
        #expect(throws: RequestError.self) {
            try StructuredField.serialize(StructuredField.Item(.integer(1), parameters: parameters))
        }
        #expect(throws: RequestError.self) { try StructuredField.serialize(StructuredField.Item(.innerList([]))) }
    }

    @Test("A decimal is rounded to three digits, half to even")
    func rounding() throws {
        let rounded = try [0.0005, 0.0015, 0.0025, 1, 100.25].map { number in
            try StructuredField.serialize(StructuredField.Item(.decimal(Decimal(string: "\(number)") ?? 0)))
        }
        #expect(rounded == ["0.0", "0.002", "0.002", "1.0", "100.25"])
    }

    @Test("A value is removed with its key, and a new one keeps its position")
    func members() {
        var members: StructuredField.Members<StructuredField.Value> = ["a": .integer(1), "b": .integer(2)]
        members["a"] = .integer(3)
        #expect(members.keys == ["a", "b"])
        members["a"] = nil
        members["c"] = nil
        #expect(members.keys == ["b"])
        #expect(members == ["b": .integer(2)])
    }
}
