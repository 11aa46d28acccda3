import Requests
import RequestsTestSupport
import Testing

@Suite("Queries of random values", .timeLimit(.minutes(5)))
struct QueryEncodingPropertyTests {
    private static let notations = QueryValue.Notation.Arrays.allCases.map { QueryValue.Notation(arrays: $0) }

    @Test("a server that parses the query gets the encoded value", arguments: notations)
    func tree(notation: QueryValue.Notation) throws {
        let api = BaseURL("https://api.example.com")
        var source = Source(seed: 20, notation: notation)
        var broken: String?
        for _ in 0..<2500 where broken == nil {
            let value = source.object(depth: 0)
            let query = try Query.encoding(value, style: notation.style)
            let text = try api.get(.data, from: "/").with(query: query).prepared().url.query ?? ""
            let read = QueryValue(reading: FormReader.items(of: text.utf8), notation)
            if read != value { broken = text }
        }
        #expect(broken == nil)
    }

    @Test("numbers, Booleans and data parse to the original values")
    func scalars() throws {
        struct Value: Encodable {
            var integer: Int
            var unsigned: UInt64
            var double: Double
            var float: Float
            var bool: Bool
            var data: Data
        }
        var random = SplitMix64(seed: 21)
        for round in 0..<20_000 {
            let double = Double(bitPattern: random.next())
            let float = Float(bitPattern: UInt32(truncatingIfNeeded: random.next()))
            let value = Value(
                integer: Int(bitPattern: UInt(random.next())) >> Int(random.next() % 64),
                unsigned: random.next() >> (random.next() % 64),
                double: double.isFinite ? double : 0,
                float: float.isFinite ? float : -0.0,
                bool: Bool.random(using: &random),
                data: Data((0..<(round % 9)).map { _ in UInt8.random(in: .min ... .max, using: &random) })
            )
            let texts = try Query.encoding(value).items.map { $0.value ?? "" }
            try #require(Int(texts[0]) == value.integer)
            try #require(UInt64(texts[1]) == value.unsigned)
            try #require(Double(texts[2])?.bitPattern == value.double.bitPattern)
            try #require(Float(texts[3])?.bitPattern == value.float.bitPattern)
            try #require(Bool(texts[4]) == value.bool)
            try #require(Data(base64Encoded: texts[5]) == value.data)
        }
    }

    @Test("dates of the years 0 to 9999 parse to the original second or millisecond")
    func dates() throws {
        var random = SplitMix64(seed: 22)
        var style = Query.Style()
        for _ in 0..<20_000 {
            let milliseconds = Int.random(in: -62_167_219_200_000..<253_402_300_800_000, using: &random)
            let seconds = Int((Double(milliseconds) / 1000).rounded(.down))
            let date = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
            style.dates = .milliseconds
            try #require(Query.encoding(["d": date], style: style).items[0].value == String(milliseconds))
            style.dates = .seconds
            try #require(Query.encoding(["d": date], style: style).items[0].value == String(seconds))
            style.dates = .iso8601
            let text = try #require(Query.encoding(["d": date], style: style).items[0].value)
            try #require(secondsSince1970(of: text) == seconds, "\(text)")
        }
    }

    /// Parses `1994-11-06T08:49:37Z` (RFC 3339 §5.6), in the proleptic Gregorian calendar.
    private func secondsSince1970(of text: String) -> Int? {
        let text = Array(text.utf8)
        guard text.count == 20, Array("--T::Z".utf8) == [4, 7, 10, 13, 16, 19].map({ text[$0] }),
            let year = number(text[..<4]), let month = number(text[5..<7]), let day = number(text[8..<10]),
            let hour = number(text[11..<13]), let minute = number(text[14..<16]), let second = number(text[17..<19])
        else { return nil }
        // The year starts in March, so that the leap day is its last day.
        let years = month > 2 ? year : year - 1
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        let days = 365 * years + years / 4 - years / 100 + years / 400 + dayOfYear - 719_468
        return ((days * 24 + hour) * 60 + minute) * 60 + second
    }

    private func number(_ digits: ArraySlice<UInt8>) -> Int? {
        digits.reduce(0) { number, digit in
            48...57 ~= digit ? number.map { $0 * 10 + Int(digit) - 48 } : nil
        }
    }
}

/// Makes random values of hostile text that a notation can represent unambiguously.
private struct Source {
    private let notation: QueryValue.Notation
    private var random: SplitMix64
    private var texts: HostileText
    private var keys: HostileText

    init(seed: UInt64, notation: QueryValue.Notation) {
        self.notation = notation
        random = SplitMix64(seed: seed)
        // A server splits at these characters after decoding, so values can't contain them.
        texts = HostileText(seed: seed, count: .max, leavingOut: notation.arrays == .commaSeparated ? [","] : [])
        keys = HostileText(seed: seed, count: .max, leavingOut: ["[", "]"])
    }

    mutating func object(depth: Int) -> QueryValue {
        .object(
            (0...random.next(upperBound: 2 as UInt64)).map { index in
                // The prefix makes the key unique and neither empty nor a number.
                QueryValue.Member(key: Array("k\(index)\(keys.next() ?? "")".utf8), value: value(depth: depth + 1))
            }
        )
    }

    private mutating func value(depth: Int) -> QueryValue {
        switch random.next(upperBound: depth > 2 ? 3 : 5 as UInt64) {
        case 0...1: leaf()
        case 2: list(depth: depth)
        default: object(depth: depth)
        }
    }

    private mutating func leaf() -> QueryValue {
        random.next(upperBound: 8 as UInt64) == 0 ? .null : text()
    }

    private mutating func text() -> QueryValue {
        .text(Array((texts.next() ?? "").utf8))
    }

    /// Nested elements need indices, and a list of one element needs a notation that marks lists.
    private mutating func list(depth: Int) -> QueryValue {
        let isNamed = [.brackets, .indexed].contains(notation.arrays)
        let count = random.next(upperBound: 4 as UInt64) + (isNamed ? 1 : 2)
        return .list(
            (0..<count).map { _ in
                switch notation.arrays {
                case .indexed: depth > 2 ? leaf() : value(depth: depth + 1)
                case .commaSeparated: text()
                case .brackets, .repeated: leaf()
                }
            }
        )
    }
}
