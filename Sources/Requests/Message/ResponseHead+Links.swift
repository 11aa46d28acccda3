extension ResponseHead {
    /// A link from a response to another resource.
    ///
    /// Specification: RFC 8288 §3.
    public struct Link: Hashable, Sendable {
        /// The target as the server wrote it. Resolve it against the response's URL.
        public let reference: String

        /// The relation types, such as `next`, in lowercase.
        public let relations: Set<String>

        /// The parameters without quotes, by their lowercase names. The first of repeated ones counts.
        public let parameters: [String: String]

        /// Reads the links of a `Link` field. Stops at the first malformed one.
        ///
        /// - Parameter text: The field's value.
        public static func links(in text: String) -> [Link] {
            var parser = LinkParser(text)
            var links: [Link] = []
            while let link = parser.next() { links.append(link) }
            return links
        }

        fileprivate init(reference: String, parameters: [String: String]) {
            self.reference = reference
            self.parameters = parameters
            self.relations = Set(ASCII.lowercased(parameters["rel"] ?? "").split(separator: " ").map { String($0) })
        }
    }
}

extension ResponseHead {
    /// The links of the response.
    public var links: [Link] { header[values: "Link"].flatMap { Link.links(in: $0) } }

    /// Returns the URL of the first link with a relation type. `nil` if there is none.
    ///
    /// Skips links with an `anchor`, because they are about other resources.
    ///
    /// - Throws: ``RequestError`` if the target isn't an HTTP URL.
    public func linkedURL(_ relation: String) throws(RequestError) -> RequestURL? {
        let name = ASCII.lowercased(relation)
        guard let link = links.first(where: { $0.relations.contains(name) && $0.parameters["anchor"] == nil }) else {
            return nil
        }
        return try url.resolving(link.reference)
    }
}

private struct LinkParser {
    private var rest: Substring.UTF8View

    init(_ text: String) {
        rest = text[...].utf8
    }

    mutating func next() -> ResponseHead.Link? {
        rest.skip { $0 == UInt8(ascii: ",") || $0.isFieldWhitespace }
        guard rest.first == UInt8(ascii: "<") else { return nil }
        rest.removeFirst()
        let reference = rest.take { $0 != UInt8(ascii: ">") }
        guard rest.popFirst() != nil else { return nil }
        var parameters: [String: String] = [:]
        while true {
            rest.skipBlanks()
            guard rest.first == UInt8(ascii: ";") else { break }
            rest.removeFirst()
            rest.skipBlanks()
            let name = ASCII.lowercased(rest.takeToken())
            let value = takeValue()
            if !name.isEmpty, parameters[name] == nil { parameters[name] = value }
        }
        return ResponseHead.Link(reference: reference, parameters: parameters)
    }

    /// Reads the value of a parameter. Returns an empty string if it has none.
    private mutating func takeValue() -> String {
        rest.skipBlanks()
        guard rest.first == UInt8(ascii: "=") else { return "" }
        rest.removeFirst()
        rest.skipBlanks()
        guard rest.first == UInt8(ascii: "\"") else {
            return rest.take { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: ",") && !$0.isFieldWhitespace }
        }
        return rest.takeQuotedString().text
    }
}
