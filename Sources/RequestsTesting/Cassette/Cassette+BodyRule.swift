import Requests

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Cassette {
    /// A rule that removes secrets from request and response bodies.
    ///
    /// A request is redacted before it is compared with the recorded ones, so a rule must return the same bytes for any
    /// secret.
    public struct BodyRule: Sendable {
        let redact: @Sendable (Data, MediaType?) -> Data

        /// Creates a rule.
        ///
        /// - Parameter redact: Returns the body without its secrets. Receives the body and its media type. Text in
        ///   UTF-16 or UTF-32 is passed, and returned, as UTF-8.
        public init(_ redact: @escaping @Sendable (Data, MediaType?) -> Data) {
            self.redact = redact
        }
    }
}

extension Cassette.BodyRule {
    /// Redacts the values of keys in JSON, at any depth.
    ///
    /// Strings become `<redacted>` and numbers become 0, also within arrays and objects, so that the replayed body
    /// still decodes. Text around the JSON, as in server-sent events, is left unchanged, and so are JSON within a
    /// string and binary bodies, such as images.
    ///
    /// - Parameter keys: The keys. Case, `-` and `_` are ignored.
    public static func json(keys: Set<String>) -> Self { json(where: isOne(of: keys)) }

    /// Redacts the values of form fields in `application/x-www-form-urlencoded` and `multipart/form-data` bodies.
    ///
    /// - Parameter names: The names of the fields. Case, `-` and `_` are ignored.
    public static func form(names: Set<String>) -> Self { form(where: isOne(of: names)) }

    /// Redacts query items and user information in the URLs of a textual body, such as JSON, HTML, XML or plain text.
    ///
    /// - Parameter names: The names of the query items, in addition to the usual names of credentials, such as
    ///   `access_token` and `signature`. Case, `-` and `_` are ignored.
    public static func urls(names: Set<String> = []) -> Self {
        let isNamed = isOne(of: names)
        let scrubber = URLScrubber.inText { Redaction.isSensitive(queryName: $0) || isNamed($0) }
        return Self { data, type in
            guard type?.isText ?? true else { return data }
            return Data(scrubber.scrubbed(Array(data)))
        }
    }

    /// Redacts tokens, passwords and other credentials in JSON, forms and URLs, recognized by their names.
    ///
    /// Ambiguous names, such as `code` and `key`, are redacted in forms and URLs but not in JSON.
    public static let credentials: Self = {
        let rules = [
            json(where: Redaction.isSensitive(jsonKey:)), form(where: Redaction.isSensitive(queryName:)), urls(),
        ]
        return Self { data, type in rules.reduce(data) { $1.redact($0, type) } }
    }()

    private static func isOne(of names: Set<String>) -> @Sendable (String) -> Bool {
        let names = Set(names.map { Redaction.letters(of: $0.utf8) })
        return { names.contains(Redaction.letters(of: $0.utf8)) }
    }

    private static func json(where isSecret: @escaping @Sendable (String) -> Bool) -> Self {
        let scrubber = JSONScrubber(isSecret: isSecret)
        return Self { data, type in
            // The type of a body can be missing or wrong, but binary data is rarely UTF-8.
            let isText =
                type.map { $0.isText || $0.boundary != nil } == true || String(validating: data, as: UTF8.self) != nil
            return isText ? scrubber.scrubbed(data) : data
        }
    }

    private static func form(where isSecret: @escaping @Sendable (String) -> Bool) -> Self {
        let scrubber = URLScrubber(valueEnds: Set("&".utf8), isSecret: isSecret)
        return Self { data, type in
            if let boundary = type?.boundary { return FormPart.redacted(data, boundary, where: isSecret) }
            guard type?.matches(.urlEncodedForm) == true else { return data }
            // Prefixes a question mark, so that the first item is recognized like the others.
            return Data(scrubber.scrubbed(Array("?".utf8) + data).dropFirst())
        }
    }
}

extension MediaType {
    /// Whether a body of this type may contain URLs as plain text.
    fileprivate var isText: Bool {
        type == "text" || ["json", "xml", "html", "javascript"].contains { subtype.contains($0) }
    }
}
