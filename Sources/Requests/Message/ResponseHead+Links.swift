extension ResponseHead {
    /// A link from a response to another resource.
    ///
    /// Specification: RFC 8288 §3.
    public struct Link: Hashable, Sendable {
        /// The target as the server wrote it. Resolve it against the response's URL.
        public let reference: String

        /// The relation types, such as `next`, in lowercase.
        public let relations: Set<String>

        /// The parameters without quotes, by their lowercase names. The first value of repeated ones counts.
        public let parameters: [String: String]

        /// Reads the links of a `Link` field. Skips malformed links and parameters.
        ///
        /// - Parameter text: The field's value.
        public static func links(in text: String) -> [Link] {
            var rest = text.utf8[...]
            var links: [Link] = []
            while true {
                rest.skip { $0 == UInt8(ascii: ",") || $0.isFieldWhitespace }
                guard let byte = rest.first else { return links }
                guard byte == UInt8(ascii: "<") else {
                    _ = rest.takeParameters(end: UInt8(ascii: ","))
                    continue
                }
                rest.removeFirst()
                let reference = rest.take { $0 != UInt8(ascii: ">") && $0 != UInt8(ascii: "<") }
                // Without its end, the link is malformed, and the next one may begin here.
                guard rest.first == UInt8(ascii: ">") else { continue }
                rest.removeFirst()
                links.append(Link(reference: reference, rest.takeParameters(end: UInt8(ascii: ","))))
            }
        }

        private init(reference: String, _ all: [FieldParameter]) {
            self.reference = reference
            self.parameters = all.reduce(into: [:]) { values, parameter in
                let name = ASCII.lowercased(parameter.name)
                guard ASCII.isToken(name), (values[name] ?? "").isEmpty else { return }
                // A parameter of a link may have no value.
                values[name] = parameter.usableValue ?? ""
            }
            self.relations = Set(ASCII.lowercased(parameters["rel"] ?? "").tokens.map { String($0) })
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
