import Requests

/// A parser that splits a command into words by the quoting rules of POSIX shells, and of `$'…'`, which browsers use.
///
/// Expands nothing: it throws if a shell would expand a variable or run another command.
///
/// Specification: IEEE 1003.1 XCU §2.2.
struct ShellWords {
    private var rest: Substring.UnicodeScalarView
    private var words: [String] = []
    /// The current word. `nil` between words, because a word can be empty.
    private var word: String.UnicodeScalarView?

    static func words(of command: String) throws(RequestError) -> [String] {
        // Text from Windows and some editors has CR LF as line breaks.
        let text = command.replacing("\r\n", with: "\n")
        var parser = ShellWords(rest: Substring(text).unicodeScalars)
        try parser.parse()
        return parser.words
    }

    private init(rest: Substring.UnicodeScalarView) {
        self.rest = rest
    }

    private mutating func parse() throws(RequestError) {
        while let scalar = rest.popFirst() {
            switch scalar {
            case " ", "\t": endWord()
            case "\n":
                endWord()
                guard rest.allSatisfy(\.properties.isWhitespace) else {
                    throw .invalidCommand("a line break", "The command has a second line. End lines with a backslash.")
                }
            case "\\": parseEscape()
            case "'": try parseSingleQuotes()
            case "\"": try parseDoubleQuotes()
            case "$" where rest.first == "'": try parseANSIQuotes()
            case "$", "`": throw .expansion
            case "|", "&", ";", "<", ">", "(", ")":
                throw .invalidCommand(
                    String(scalar),
                    "The command has an unquoted \(scalar). Pass one curl command only."
                )
            case "#" where word == nil: rest = rest.drop { $0 != "\n" }
            default: append(scalar)
            }
        }
        endWord()
    }

    private mutating func append(_ scalar: Unicode.Scalar) {
        word = word ?? String.UnicodeScalarView()
        word?.append(scalar)
    }

    private mutating func endWord() {
        if let word { words.append(String(word)) }
        word = nil
    }

    private mutating func parseEscape() {
        guard let next = rest.popFirst(), next != "\n" else { return }
        append(next)
    }

    private mutating func parseSingleQuotes() throws(RequestError) {
        word = word ?? String.UnicodeScalarView()
        while let scalar = rest.popFirst() {
            if scalar == "'" { return }
            append(scalar)
        }
        throw .unterminated
    }

    private mutating func parseDoubleQuotes() throws(RequestError) {
        word = word ?? String.UnicodeScalarView()
        while let scalar = rest.popFirst() {
            switch scalar {
            case "\"": return
            case "$" where rest.first.map(ShellWords.startsExpansion) ?? false: throw .expansion
            case "`": throw .expansion
            case "\\":
                guard let next = rest.first, "$`\"\\\n".unicodeScalars.contains(next) else { fallthrough }
                rest.removeFirst()
                if next != "\n" { append(next) }
            default: append(scalar)
            }
        }
        throw .unterminated
    }

    private static func startsExpansion(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isAlphabetic || scalar.properties.numericType != nil
            || "_{(@*#?$!-".unicodeScalars.contains(scalar)
    }

    private mutating func parseANSIQuotes() throws(RequestError) {
        rest.removeFirst()
        // Collects bytes, because one character can consist of several \x escapes.
        var bytes: [UInt8] = []
        while let scalar = rest.popFirst() {
            switch scalar {
            case "'":
                for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars { append(scalar) }
                word = word ?? String.UnicodeScalarView()
                return
            case "\\": appendANSIEscape(to: &bytes)
            default: bytes += Array(String(scalar).utf8)
            }
        }
        throw .unterminated
    }

    private mutating func appendANSIEscape(to bytes: inout [UInt8]) {
        guard let kind = rest.popFirst() else { return }
        switch kind {
        case "a": bytes.append(7)
        case "b": bytes.append(8)
        case "e", "E": bytes.append(27)
        case "f": bytes.append(12)
        case "n": bytes.append(10)
        case "r": bytes.append(13)
        case "t": bytes.append(9)
        case "v": bytes.append(11)
        case "x": bytes.append(UInt8(truncatingIfNeeded: number(radix: 16, digits: 2)))
        case "u": bytes += Array(String(Unicode.Scalar(number(radix: 16, digits: 4)) ?? "\u{FFFD}").utf8)
        case "U": bytes += Array(String(Unicode.Scalar(number(radix: 16, digits: 8)) ?? "\u{FFFD}").utf8)
        case "0"..."7":
            let first = kind.value - ("0" as Unicode.Scalar).value
            bytes.append(UInt8(truncatingIfNeeded: number(radix: 8, digits: 2, after: first)))
        default: bytes += Array(String(kind).utf8)
        }
    }

    private mutating func number(radix: UInt32, digits: Int, after first: UInt32 = 0) -> UInt32 {
        var value = first
        for _ in 0..<digits {
            guard let scalar = rest.first, let digit = Character(scalar).hexDigitValue, digit < radix else { break }
            value = value * radix + UInt32(digit)
            rest.removeFirst()
        }
        return value
    }
}

extension RequestError.Code {
    /// The text isn't a `curl` command for one request, or uses an unsupported option.
    public static let invalidCommand = Self(rawValue: "invalidCommand")
}

extension RequestError {
    static func invalidCommand(_ subject: String, _ message: String) -> RequestError {
        RequestError(code: .invalidCommand, subject: subject, message: message)
    }

    fileprivate static let unterminated = invalidCommand("quote", "The command has a quote without an end. Close it.")
    fileprivate static let expansion = invalidCommand(
        "$",
        "The command uses a variable or the output of another command. Replace it with its value."
    )
}
