import Requests

/// An OpenAPI 3.0 or 3.1 document that checks requests and responses without a server.
///
/// ```swift
/// let contract = try OpenAPI(json: Data(contentsOf: URL(filePath: "openapi.json")))
/// let violations = try contract.violations(of: api.user(7).prepared())
/// ```
///
/// It checks the path, the method, the parameters, the media type, and JSON and form bodies. It doesn't check security
/// requirements, the hosts of servers, parameters that are objects, multipart and other bodies, callbacks, references
/// to other documents, and the keywords in ``unchecked``.
///
/// Specification: OpenAPI 3.0.4 and 3.1.1, JSON Schema 2020-12.
public struct OpenAPI: Sendable {
    /// A part of a request or response that doesn't conform to the document.
    public struct Violation: Error, Hashable, Sendable, CustomStringConvertible {
        /// The part, such as `path`, `query.page`, `header.X-Key` or `body.user.name`.
        public let place: String

        /// What is wrong with the part, without its value.
        public let message: String

        /// The part, followed by the message.
        public var description: String { "\(place) \(message)" }
    }

    /// The error for a document that can't be used.
    public struct InvalidDocument: Error, Hashable, CustomStringConvertible {
        /// The reason, in one line.
        public let description: String
    }

    /// The keywords, formats and patterns of the document's schemas that aren't checked, sorted, such as
    /// `patternProperties`, `format: hostname` and `pattern: (?!a)`.
    ///
    /// Patterns are matched in linear time, so lookaround, backreferences, word boundaries, named groups and Unicode
    /// properties aren't supported.
    public let unchecked: [String]

    let document: JSONValue
    /// The paths by their number of segments.
    private let paths: [Int: [PathItem]]
    /// The segments of the servers' paths, and an empty list for requests without a server's path.
    private let prefixes: [[String]]

    /// Parses a document.
    ///
    /// - Parameter data: The document as JSON. Convert YAML first.
    /// - Throws: ``InvalidDocument`` if the data isn't an OpenAPI 3.0 or 3.1 document.
    public init(json data: Data) throws(InvalidDocument) {
        guard let document = JSONValue(parsing: data) else {
            throw InvalidDocument(description: "the document isn't JSON; convert YAML to JSON first")
        }
        guard let version = document["openapi"]?.string, version.hasPrefix("3.0") || version.hasPrefix("3.1") else {
            throw InvalidDocument(description: "the document isn't OpenAPI 3.0 or 3.1; convert it to one of them")
        }
        self.document = document
        let items = (document["paths"]?.members ?? [:]).map { PathItem($0.key, $0.value, in: document) }
        // Paths with more literal segments are more specific, so they are tried first.
        paths = Dictionary(grouping: items) { $0.segments.count }
            .mapValues { $0.sorted { ($0.literalCount, $1.template) > ($1.literalCount, $0.template) } }
        let servers = document["servers"]?.elements?.compactMap { $0["url"]?.string } ?? []
        prefixes = ([""] + servers.map(OpenAPI.path(ofServer:))).map { PathItem.segments(of: $0) }
        unchecked = SchemaKeywords.unchecked(in: document)
    }

    private static func path(ofServer url: String) -> String {
        let rest = url.firstRange(of: "://").map { url[$0.upperBound...].drop { $0 != "/" } } ?? url[...]
        return String(rest.last == "/" ? rest.dropLast() : rest)
    }

    var validator: SchemaValidator { SchemaValidator(document: document) }

    /// Returns the operation that a request calls, with the values of the path's parameters.
    func operation(for request: PreparedRequest) throws(Violation) -> (Operation, [String: String]) {
        let path = PathItem.segments(of: request.url.path).map(PathSegment.decoded)
        var methods: [String] = []
        for prefix in prefixes where path.starts(with: prefix) {
            let rest = Array(path.dropFirst(prefix.count))
            for item in paths[rest.count] ?? [] {
                guard let parameters = item.parameters(in: rest) else { continue }
                if let operation = item.operations[request.method.rawValue] { return (operation, parameters) }
                methods += item.operations.keys
            }
        }
        let shown = Redaction.quoted(request.url.path)
        if methods.isEmpty { throw Violation(place: "path", message: "\(shown) isn't in the document; check the path") }
        let known = methods.sorted().joined(separator: ", ")
        throw Violation(place: "method", message: "\(request.method) isn't declared for \(shown); use \(known)")
    }
}
