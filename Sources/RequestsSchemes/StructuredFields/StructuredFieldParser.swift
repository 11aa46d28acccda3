import Requests

/// A parser for structured fields.
///
/// Specification: RFC 9651 §4.2.
struct StructuredFieldParser {
    private var rest: ArraySlice<UInt8>

    init(_ text: String) {
        rest = Array(text.utf8)[...]
    }

    /// Parses the whole text, which may have spaces around it.
    mutating func whole<Result>(
        _ parse: (inout StructuredFieldParser) throws(RequestError) -> Result
    ) throws(RequestError) -> Result {
        skip { $0 == UInt8(ascii: " ") }
        let result = try parse(&self)
        skip { $0 == UInt8(ascii: " ") }
        guard rest.isEmpty else { throw failure("a comma or the end") }
        return result
    }

    mutating func list() throws(RequestError) -> [StructuredField.Item] {
        var items: [StructuredField.Item] = []
        while !rest.isEmpty {
            items.append(try itemOrInnerList())
            guard try takeComma() else { break }
        }
        return items
    }

    mutating func dictionary() throws(RequestError) -> StructuredField.Members<StructuredField.Item> {
        var members: StructuredField.Members<StructuredField.Item> = [:]
        while !rest.isEmpty {
            let key = try key()
            if take("=") {
                members[key] = try itemOrInnerList()
            } else {
                members[key] = StructuredField.Item(.boolean(true), parameters: try parameters())
            }
            guard try takeComma() else { break }
        }
        return members
    }

    mutating func item() throws(RequestError) -> StructuredField.Item {
        let value = try value()
        return StructuredField.Item(value, parameters: try parameters())
    }

    /// Consumes the comma after a member. Returns `false` at the end of the text.
    private mutating func takeComma() throws(RequestError) -> Bool {
        skip(\.isFieldWhitespace)
        guard !rest.isEmpty else { return false }
        guard take(",") else { throw failure("a comma") }
        skip(\.isFieldWhitespace)
        guard !rest.isEmpty else { throw failure("a member after the comma") }
        return true
    }

    private mutating func itemOrInnerList() throws(RequestError) -> StructuredField.Item {
        guard take("(") else { return try item() }
        var items: [StructuredField.Item] = []
        while true {
            let hadSpace = rest.first == UInt8(ascii: " ")
            skip { $0 == UInt8(ascii: " ") }
            if take(")") { break }
            guard items.isEmpty || hadSpace else { throw failure("a space or )") }
            items.append(try item())
        }
        return StructuredField.Item(.innerList(items), parameters: try parameters())
    }

    private mutating func parameters() throws(RequestError) -> StructuredField.Members<StructuredField.Value> {
        var parameters: StructuredField.Members<StructuredField.Value> = [:]
        while take(";") {
            skip { $0 == UInt8(ascii: " ") }
            let key = try key()
            parameters[key] = take("=") ? try value() : .boolean(true)
        }
        return parameters
    }

    private mutating func key() throws(RequestError) -> String {
        guard let first = rest.first, StructuredField.startsKey(first) else { throw failure("a key") }
        return text { StructuredField.isInKey($0) }
    }

    private mutating func value() throws(RequestError) -> StructuredField.Value {
        guard let first = rest.first else { throw failure("a value") }
        switch first {
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: ":"): return .bytes(try bytes())
        case UInt8(ascii: "?"): return .boolean(try boolean())
        case UInt8(ascii: "@"): return .date(try date())
        case UInt8(ascii: "%"): return .displayString(try displayString())
        case _ where StructuredField.startsToken(first): return .token(text { StructuredField.isInToken($0) })
        default: throw failure("a value")
        }
    }

    private mutating func number() throws(RequestError) -> StructuredField.Value {
        let sign = take("-") ? "-" : ""
        let whole = text(\.isDigit)
        guard !whole.isEmpty, whole.utf8.count <= 15 else { throw failure("1 to 15 digits") }
        guard take(".") else {
            guard let integer = Int64(sign + whole) else { throw failure("an integer") }
            return .integer(integer)
        }
        let fraction = text(\.isDigit)
        guard whole.utf8.count <= 12, (1...3).contains(fraction.utf8.count),
            let decimal = Decimal(string: "\(sign)\(whole).\(fraction)", locale: nil)
        else { throw failure("at most 12 digits, a point and 1 to 3 digits") }
        return .decimal(decimal)
    }

    private mutating func string() throws(RequestError) -> String {
        rest.removeFirst()
        var bytes: [UInt8] = []
        while var byte = rest.popFirst() {
            if byte == UInt8(ascii: "\"") { return String(decoding: bytes, as: UTF8.self) }
            if byte == UInt8(ascii: "\\") {
                guard let escaped = rest.popFirst(), escaped == UInt8(ascii: "\"") || escaped == UInt8(ascii: "\\")
                else { throw failure("\" or \\ after \\") }
                byte = escaped
            } else if !(0x20...0x7E).contains(byte) {
                throw failure("printable ASCII in a string")
            }
            bytes.append(byte)
        }
        throw failure("a closing quote")
    }

    private mutating func bytes() throws(RequestError) -> Data {
        rest.removeFirst()
        // Padding is parsed here, because Foundation accepts it in the middle, too.
        let base64 = text { $0 != UInt8(ascii: ":") && $0 != UInt8(ascii: "=") }
        skip { $0 == UInt8(ascii: "=") }
        guard take(":") else { throw failure("a colon after Base64") }
        let padding = String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4)
        guard let data = Data(base64Encoded: base64 + padding) else { throw failure("Base64") }
        return data
    }

    private mutating func boolean() throws(RequestError) -> Bool {
        rest.removeFirst()
        if take("1") { return true }
        if take("0") { return false }
        throw failure("0 or 1 after ?")
    }

    private mutating func date() throws(RequestError) -> Date {
        rest.removeFirst()
        guard let first = rest.first, first == UInt8(ascii: "-") || first.isDigit,
            case .integer(let seconds) = try number()
        else { throw failure("whole seconds after @") }
        return Date(timeIntervalSince1970: TimeInterval(seconds))
    }

    private mutating func displayString() throws(RequestError) -> String {
        rest.removeFirst()
        guard take("\"") else { throw failure("a quote after %") }
        var bytes: [UInt8] = []
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""):
                guard let text = String(validating: bytes, as: UTF8.self) else { throw failure("UTF-8") }
                return text
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst()?.lowercaseHexValue, let low = rest.popFirst()?.lowercaseHexValue
                else { throw failure("two lowercase hexadecimal digits after %") }
                bytes.append(high << 4 | low)
            case 0x20...0x7E: bytes.append(byte)
            default: throw failure("printable ASCII in a display string")
            }
        }
        throw failure("a closing quote")
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest.removeFirst()
        return true
    }

    private mutating func text(_ isWanted: (UInt8) -> Bool) -> String {
        let taken = rest.prefix(while: isWanted)
        rest = rest[taken.endIndex...]
        return String(decoding: taken, as: UTF8.self)
    }

    private mutating func skip(_ isUnwanted: (UInt8) -> Bool) {
        rest = rest.drop(while: isUnwanted)
    }

    private func failure(_ expected: String) -> RequestError {
        .invalidStructuredField("expected \(expected) at byte \(rest.startIndex)")
    }
}

extension StructuredField {
    static func startsKey(_ byte: UInt8) -> Bool { isLowercase(byte) || byte == UInt8(ascii: "*") }

    static func isInKey(_ byte: UInt8) -> Bool {
        isLowercase(byte) || byte.isDigit || [0x5F, 0x2D, 0x2E, 0x2A].contains(byte)
    }

    static func startsToken(_ byte: UInt8) -> Bool { isLowercase(byte | 0x20) || byte == UInt8(ascii: "*") }

    static func isInToken(_ byte: UInt8) -> Bool {
        ASCII.tokenBytes.contains(byte) || byte == UInt8(ascii: ":") || byte == UInt8(ascii: "/")
    }

    private static func isLowercase(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "a") < 26 }
}

extension UInt8 {
    fileprivate var lowercaseHexValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}
