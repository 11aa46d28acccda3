import HTTPTypes
import Requests

/// Random messages. A seed gives the same messages on every run.
struct Sample {
    private var random: SplitMix64

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
    }

    private static let methods: [Requests.HTTPMethod] = [.get, .post, .put, .delete, .patch, "QUERY", "x-custom"]
    private static let names = [
        "Accept", "accept", "ACCEPT", "X-A", "x-a", "Set-Cookie", "Authorization", "X-Api-Key", "!#$%&'*+-.^_`|~09",
    ]
    private static let values: [String] = [
        "", "a", "a, b", "\"q\"", "é", "e\u{301}", "日本", "😀", "tab\tinside", "two  spaces", "\u{85}\u{2028}", ";=/",
    ]
    private static let paths = ["a", "B", "%20", "%2F", "%e2%82%ac", ";v=1", ":", "@", "~", "!$&'()*+,", "//", "-."]
    private static let queries = ["a=1", "&", "%26", "?", "/"]
    private static let hosts = ["a.example", "127.0.0.1", "[::1]", "xn--bcher-kva.example", "a.example:81", "[::1]:1"]

    mutating func element<Element>(of elements: [Element]) -> Element {
        elements[Int(random.next() % UInt64(elements.count))]
    }

    mutating func chance(_ part: Int, of whole: Int) -> Bool { random.next() % UInt64(whole) < UInt64(part) }

    mutating func list<Element>(upTo count: Int, _ make: (inout Sample) -> Element) -> [Element] {
        (0..<Int(random.next() % UInt64(count + 1))).map { _ in make(&self) }
    }

    mutating func path() -> String {
        let path = "/" + list(upTo: 5) { $0.element(of: Sample.paths) }.joined()
        let query = "?" + list(upTo: 3) { $0.element(of: Sample.queries) }.joined()
        return chance(1, of: 2) ? path + query : path
    }

    mutating func host() -> String { element(of: Sample.hosts) }

    mutating func url() throws -> RequestURL {
        try RequestURL("\(element(of: ["http", "https"]))://\(host())\(path())")
    }

    mutating func field() -> Field {
        let field = Field(name: Field.Name(element(of: Sample.names)), value: element(of: Sample.values))
        return chance(1, of: 4) ? field.sensitive() : field
    }

    mutating func header() -> Header { Header(list(upTo: 8) { $0.field() }) }

    mutating func request() throws -> PreparedRequest {
        try PreparedRequest(method: element(of: Sample.methods), url: url(), header: header())
    }

    mutating func httpField() throws -> HTTPField {
        guard let name = HTTPField.Name(element(of: Sample.names)) else { throw NotAName() }
        var field = HTTPField(name: name, value: element(of: Sample.values))
        field.indexingStrategy = element(of: [.automatic, .prefer, .avoid, .disallow])
        return field
    }

    mutating func httpFields() throws -> HTTPFields {
        var fields = HTTPFields()
        for _ in 0..<element(of: [0, 1, 3, 8]) { fields.append(try httpField()) }
        return fields
    }

    /// A string of delimiters, control characters and text.
    mutating func hostileText() -> String {
        let pieces = [
            "/", "?", "#", "@", ":", "://", "http", "a.example", "evil.example", "\\", "%", "%2F", "..", "\r\n", "\0",
            " ", "é", "[", "]", "a", "80", "",
        ]
        return list(upTo: 5) { $0.element(of: pieces) }.joined()
    }

    /// Any bytes that `HTTPField` keeps unchanged, which is all but line breaks and NUL.
    mutating func bytes() -> [UInt8] {
        list(upTo: 6) { $0.element(of: Array(1...255)) }.filter { $0 != 0x0A && $0 != 0x0D }
    }
}

/// A field as it is on the wire, with its mark. Equal only if all bytes are: `Field` and `HTTPField` compare less.
struct Line: Equatable, CustomStringConvertible {
    let name: String
    let value: [UInt8]
    let isSecret: Bool

    init(_ field: Field) {
        name = field.name.rawValue
        value = Array(field.value.utf8)
        isSecret = field.isSensitive
    }

    init(_ field: HTTPField) {
        name = field.name.rawName
        value = field.withUnsafeBytesOfValue { Array($0) }
        isSecret = field.indexingStrategy == .disallow
    }

    var description: String { "\(name): \(String(decoding: value, as: UTF8.self).debugDescription)" }
}

private struct NotAName: Error {}

/// A random number generator with a fixed seed: every run sees the same cases.
private struct SplitMix64: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }
}
