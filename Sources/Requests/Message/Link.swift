/// A link from a response to another resource.
///
/// Specification: RFC 8288 §3.
public struct Link: Hashable, Sendable {
    /// Where it leads, as it was written: resolve it against the response's URL.
    public let reference: String

    /// How the two belong together, such as `next`, in lower case.
    public let relations: Set<String>

    /// The parameters, quotes removed, by their names in lower case. Of repeats the first counts.
    public let parameters: [String: String]

    /// Reads the links of a `Link` field. What follows a fault is passed over.
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

extension ResponseHead {
    /// The links of the response.
    public var links: [Link] { header[values: "Link"].flatMap { Link.links(in: $0) } }

    /// The URL that the first link of a relation leads to; `nil` where there is none.
    ///
    /// Links of other resources, which have an `anchor`, are passed over.
    ///
    /// - Throws: ``InvalidRequestURLError`` when it leads to no URL of HTTP.
    public func linkedURL(_ relation: String) throws(InvalidRequestURLError) -> RequestURL? {
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

    mutating func next() -> Link? {
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
        return Link(reference: reference, parameters: parameters)
    }

    /// The value behind a parameter's name; empty where it has none.
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
