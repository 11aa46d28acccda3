import Requests

extension StructuredField {
    /// Returns the header field value for an item.
    ///
    /// - Throws: `RequestError.Code.invalidStructuredField` if a part of it can't be represented.
    public static func serialize(_ item: Item) throws(RequestError) -> String {
        guard case .innerList = item.value else { return try item.text }
        throw .invalidStructuredField("an inner list can't be an item; put it into a list or dictionary")
    }

    /// Returns the header field value for a list. Omit the field if the list is empty.
    ///
    /// - Throws: `RequestError.Code.invalidStructuredField` if a part of it can't be represented.
    public static func serialize(_ list: [Item]) throws(RequestError) -> String {
        try joined(list, by: ", ")
    }

    /// Returns the header field value for a dictionary. Omit the field if the dictionary is empty.
    ///
    /// - Throws: `RequestError.Code.invalidStructuredField` if a part of it can't be represented.
    public static func serialize(_ dictionary: Members<Item>) throws(RequestError) -> String {
        var parts: [String] = []
        for key in dictionary.keys {
            guard let item = dictionary[key] else { continue }
            try validate(key: key)
            parts.append(key + (item.value == .boolean(true) ? try item.parameters.text : "=" + (try item.text)))
        }
        return parts.joined(separator: ", ")
    }

    fileprivate static func joined(_ items: [Item], by separator: String) throws(RequestError) -> String {
        var parts: [String] = []
        for item in items { parts.append(try item.text) }
        return parts.joined(separator: separator)
    }

    fileprivate static func validate(key: String) throws(RequestError) {
        guard let first = key.utf8.first, startsKey(first), key.utf8.allSatisfy(isInKey) else {
            throw .invalidStructuredField(
                "the key \(Redaction.quoted(key)) must start with a-z or * and contain only a-z, 0-9 and _-.*"
            )
        }
    }
}

extension StructuredField.Members<StructuredField.Value> {
    fileprivate var text: String {
        get throws(RequestError) {
            var text = ""
            for key in keys {
                guard let value = self[key] else { continue }
                try StructuredField.validate(key: key)
                guard value != .boolean(true) else {
                    text += ";" + key
                    continue
                }
                if case .innerList = value {
                    throw .invalidStructuredField("the parameter \(key) is an inner list; use a single value")
                }
                text += ";\(key)=" + (try value.text)
            }
            return text
        }
    }
}

extension StructuredField.Item {
    fileprivate var text: String {
        get throws(RequestError) { try value.text + (try parameters.text) }
    }
}

extension StructuredField.Value {
    fileprivate var text: String {
        get throws(RequestError) {
            switch self {
            case .integer(let integer): return try StructuredField.Value.text(of: integer)
            case .decimal(let decimal): return try StructuredField.Value.text(of: decimal)
            case .string(let string): return try StructuredField.Value.text(ofString: string)
            case .token(let token): return try StructuredField.Value.text(ofToken: token)
            case .bytes(let data): return ":\(data.base64EncodedString()):"
            case .boolean(let isTrue): return isTrue ? "?1" : "?0"
            case .date(let date): return try StructuredField.Value.text(of: date)
            case .displayString(let string): return StructuredField.Value.text(ofDisplayString: string)
            case .innerList(let items):
                for item in items {
                    if case .innerList = item.value {
                        throw .invalidStructuredField("an inner list contains another list; flatten it")
                    }
                }
                return "(\(try StructuredField.joined(items, by: " ")))"
            }
        }
    }

    private static func text(of integer: Int64) throws(RequestError) -> String {
        guard integer.magnitude <= 999_999_999_999_999 else {
            throw .invalidStructuredField("an integer has more than 15 digits; use a string for larger numbers")
        }
        return String(integer)
    }

    private static func text(of date: Date) throws(RequestError) -> String {
        guard let seconds = Int64(exactly: date.timeIntervalSince1970.rounded(.down)) else {
            throw .invalidStructuredField("a date is infinite or out of range; use whole seconds")
        }
        return "@" + (try text(of: seconds))
    }

    private static func text(of decimal: Decimal) throws(RequestError) -> String {
        let (whole, fraction) = "\(decimal.magnitude)".split(at: ".")
        let digits = (fraction ?? "") + "000"
        guard decimal.isFinite, whole.count <= 12, var thousandths = Int64(whole + digits.prefix(3)) else {
            throw .invalidStructuredField("a decimal has more than 12 digits before the point; use a string")
        }
        // Rounds to the nearest thousandth, and ties to the even one (RFC 9651 §4.1.5).
        let rest = Int64(digits.dropFirst(3).prefix(1)) ?? 0
        let isHalf = rest == 5 && digits.dropFirst(4).allSatisfy { $0 == "0" }
        if rest >= 5, !isHalf || thousandths % 2 == 1 { thousandths += 1 }
        guard thousandths < 1_000_000_000_000_000 else {
            throw .invalidStructuredField("a decimal has more than 12 digits before the point; use a string")
        }
        let (number, part) = thousandths.quotientAndRemainder(dividingBy: 1000)
        var text = "\(decimal.isSignMinus && thousandths > 0 ? "-" : "")\(number).\(String(part + 1000).dropFirst())"
        while text.hasSuffix("0"), !text.hasSuffix(".0") { text.removeLast() }
        return text
    }

    private static func text(ofString string: String) throws(RequestError) -> String {
        guard string.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw .invalidStructuredField("a string isn't printable ASCII; use a display string")
        }
        return string.quotedString
    }

    private static func text(ofToken token: String) throws(RequestError) -> String {
        guard let first = token.utf8.first, StructuredField.startsToken(first),
            token.utf8.allSatisfy(StructuredField.isInToken)
        else {
            throw .invalidStructuredField("\(Redaction.quoted(token)) isn't a token; use a string")
        }
        return token
    }

    private static func text(ofDisplayString string: String) -> String {
        var bytes = Array("%\"".utf8)
        for byte in string.utf8 {
            if byte == UInt8(ascii: "%") || byte == UInt8(ascii: "\"") || !(0x20...0x7E).contains(byte) {
                bytes += [UInt8(ascii: "%"), byte.hexDigits.0, byte.hexDigits.1]
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self) + "\""
    }
}

extension UInt8 {
    /// The two lowercase hexadecimal digits of the byte.
    fileprivate var hexDigits: (UInt8, UInt8) {
        func digit(_ value: UInt8) -> UInt8 { value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10 }
        return (digit(self >> 4), digit(self & 15))
    }
}
