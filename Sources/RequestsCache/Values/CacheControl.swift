import Requests

/// The directives of a message's `Cache-Control` fields.
///
/// Specification: RFC 9111 §5.2.
struct CacheControl: Hashable {
    /// The lowercase names and the arguments, in order. A malformed argument is an empty string.
    private var directives: [Directive] = []

    private struct Directive: Hashable {
        let name: String
        let argument: String?
    }

    init(_ header: Header) {
        for field in header where field.name == .cacheControl {
            let (elements, isClosed) = field.value.listElements(hasEscapes: true)
            directives += elements.compactMap(CacheControl.directive)
            // An open quote hides the directives after it, which could have forbidden to store the response.
            if !isClosed { directives.append(Directive(name: "no-store", argument: nil)) }
        }
    }

    var isEmpty: Bool { directives.isEmpty }

    func contains(_ name: String) -> Bool { directives.contains { $0.name == name } }

    /// Whether at least one occurrence of a directive has no argument.
    func isWithoutArgument(_ name: String) -> Bool {
        directives.contains { $0.name == name && $0.argument == nil }
    }

    /// Returns the number of seconds of a directive. `nil` if it's missing.
    ///
    /// The first of repeated directives counts, and a malformed one spoils the others (RFC 9111 §4.2.1).
    func seconds(_ name: String, malformed: Int) -> Int? {
        let all = directives.lazy.filter { $0.name == name }.map { CacheControl.seconds($0.argument) }
        return all.contains(nil) ? malformed : all.first ?? nil
    }

    /// Returns the directive if it allows to serve a response that is stale since some seconds.
    func allowance(_ name: String, for staleness: Double) -> String? {
        guard let limit = seconds(name, malformed: .min), staleness <= Double(limit) else { return nil }
        return "\(name)=\(limit)"
    }

    /// Returns the fields that a directive names. Empty if one of its occurrences applies to the whole response, `nil`
    /// if it's missing.
    func fields(_ name: String) -> [Field.Name]? {
        var fields: [Field.Name]?
        for directive in directives where directive.name == name {
            let names = (directive.argument ?? "").tokens
            guard !names.isEmpty else { return [] }
            fields = (fields ?? []) + names.map { Field.Name(String($0)) }
        }
        return fields
    }

    /// Parses a number of seconds. Larger numbers become 2³¹ (RFC 9111 §1.2.2).
    static func seconds(_ text: String?) -> Int? {
        guard let text, !text.isEmpty, text.utf8.allSatisfy(\.isDigit) else { return nil }
        return min(Int(text) ?? .max, 1 << 31)
    }

    /// Reads a directive. A token and a quoted string are both accepted as its argument (RFC 9111 §5.2).
    private static func directive(_ text: Substring) -> Directive? {
        var rest = text.utf8
        rest.skipBlanks()
        let name = ASCII.lowercased(rest.takeToken())
        var argument: String?
        if rest.first == UInt8(ascii: "=") {
            rest.removeFirst()
            argument = rest.first == UInt8(ascii: "\"") ? rest.takeQuotedString().text : rest.takeToken()
        }
        rest.skipBlanks()
        return name.isEmpty ? nil : Directive(name: name, argument: rest.isEmpty ? argument : "")
    }
}

extension String {
    /// The elements of a list of names or numbers.
    var tokens: [Substring] { split { $0 == "," || $0 == " " || $0 == "\t" } }

    /// The elements of a list of entity tags.
    var entityTags: [String] { listElements(hasEscapes: false).elements.map { $0.trimmingFieldWhitespace() } }

    /// Splits a list at the commas outside of quotes. Returns whether the last quote is closed, too.
    ///
    /// - Parameter hasEscapes: Whether `\` escapes a character in quotes. Entity tags have no escapes.
    func listElements(hasEscapes: Bool) -> (elements: [Substring], isClosed: Bool) {
        var (elements, start) = ([Substring](), startIndex)
        var (isQuoted, isEscaped) = (false, false)
        for index in utf8.indices {
            switch utf8[index] {
            case _ where isEscaped: isEscaped = false
            case UInt8(ascii: "\""): isQuoted.toggle()
            case UInt8(ascii: "\\"): isEscaped = isQuoted && hasEscapes
            case UInt8(ascii: ",") where !isQuoted:
                elements.append(self[start..<index])
                start = utf8.index(after: index)
            default: break
            }
        }
        return (elements + [self[start...]], !isQuoted)
    }
}

extension Field.Name {
    static let age: Field.Name = "Age"
    static let contentLocation: Field.Name = "Content-Location"
    static let contentRange: Field.Name = "Content-Range"
    static let date: Field.Name = "Date"
    static let expires: Field.Name = "Expires"
    static let pragma: Field.Name = "Pragma"
    static let vary: Field.Name = "Vary"
}
