import Foundation
import Requests

extension Cassette {
    /// What is removed from the bodies of requests and responses.
    ///
    /// A replayed request is compared after its own secrets are removed, so that a rule gives the same bytes whatever
    /// the secret was.
    public struct BodyRule: Sendable {
        let remove: @Sendable (Data, MediaType?) -> Data

        /// Creates a rule.
        ///
        /// - Parameter remove: Gives the body without its secrets, from the body and its media type.
        public init(_ remove: @escaping @Sendable (Data, MediaType?) -> Data) {
            self.remove = remove
        }
    }
}

extension Cassette.BodyRule {
    /// The values of keys, at any depth of JSON text.
    ///
    /// Strings become `<redacted>` and numbers 0, also in lists and objects, so that what is replayed still decodes. Text
    /// around the JSON, as in server-sent events, is left alone, and so is JSON inside of a string.
    ///
    /// - Parameter keys: The keys. Case, `-` and `_` do not count.
    public static func json(keys: Set<String>) -> Self { json(where: isOne(of: keys)) }

    /// The values of names in a form: an `application/x-www-form-urlencoded` or `multipart/form-data` body.
    ///
    /// - Parameter names: The names. Case, `-` and `_` do not count.
    public static func form(names: Set<String>) -> Self { form(where: isOne(of: names)) }

    /// The values of query items, and the user information, of URLs anywhere in a body of text: JSON, HTML, XML, text.
    ///
    /// - Parameter names: More names than those that stand for credentials, such as `access_token` and `signature`. Case,
    ///   `-` and `_` do not count.
    public static func urls(names: Set<String> = []) -> Self {
        let isNamed = isOne(of: names)
        let scrubber = URLScrubber.inText { Redaction.isSensitive(queryName: $0) || isNamed($0) }
        return Self { data, type in
            guard type?.isText ?? true else { return data }
            return Data(scrubber.scrubbed(Array(data)))
        }
    }

    /// Tokens, passwords and other credentials, as far as names tell, in JSON, in forms, and in URLs anywhere in text.
    ///
    /// Names that mean other things as well, such as `code` and `key`, count in forms and URLs, and not in JSON.
    public static let credentials: Self = {
        let rules = [
            json(where: Redaction.isSensitive(jsonKey:)), form(where: Redaction.isSensitive(queryName:)), urls(),
        ]
        return Self { data, type in rules.reduce(data) { $1.remove($0, type) } }
    }()

    private static func isOne(of names: Set<String>) -> @Sendable (String) -> Bool {
        let names = Set(names.map { Redaction.letters(of: $0.utf8) })
        return { names.contains(Redaction.letters(of: $0.utf8)) }
    }

    private static func json(where isSecret: @escaping @Sendable (String) -> Bool) -> Self {
        let scrubber = JSONScrubber(isSecret: isSecret)
        return Self { data, _ in scrubber.scrubbed(data) }
    }

    private static func form(where isSecret: @escaping @Sendable (String) -> Bool) -> Self {
        let scrubber = URLScrubber(valueEnds: Set("&".utf8), isSecret: isSecret)
        return Self { data, type in
            if let boundary = type?.boundary { return FormPart.redacted(data, boundary, where: isSecret) }
            guard type?.matches(.urlEncodedForm) == true else { return data }
            // As the query of a URL: the first item then starts as the others do.
            return Data(scrubber.scrubbed(Array("?".utf8) + data).dropFirst())
        }
    }
}

extension MediaType {
    /// Whether a URL may stand in a body of this type as it is written.
    fileprivate var isText: Bool {
        type == "text" || ["json", "xml", "html", "javascript"].contains { subtype.contains($0) }
    }
}
