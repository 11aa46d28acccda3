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
            var rest = field.value.utf8[...]
            let all = rest.takeParameters(separator: UInt8(ascii: ","))
            for parameter in all {
                // A malformed directive counts by its first word, because it may restrict the cache.
                var text = parameter.name.utf8[...]
                let name = ASCII.lowercased(text.takeToken())
                let directive = Directive(name: name, argument: parameter.isValid ? parameter.value : "")
                if !name.isEmpty { directives.append(directive) }
            }
            // An open quote hides the directives after it, which could have forbidden to store the response.
            if !all.allSatisfy(\.isClosed) { directives.append(Directive(name: "no-store", argument: nil)) }
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
    func seconds(_ name: String, malformed: Int64) -> Int64? {
        var first: Int64?
        for directive in directives where directive.name == name {
            guard let seconds = CacheControl.seconds(directive.argument) else { return malformed }
            first = first ?? seconds
        }
        return first
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

    /// Parses a number of seconds. Numbers above 2³¹ become 2³¹ (RFC 9111 §1.2.2).
    static func seconds(_ text: String?) -> Int64? {
        guard let text, !text.isEmpty, text.utf8.allSatisfy(\.isDigit) else { return nil }
        return min(text.digits ?? .max, 1 << 31)
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
