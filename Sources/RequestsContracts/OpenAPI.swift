import Requests

/// An OpenAPI 3.0 or 3.1 document that checks requests and responses without a server.
///
/// ```swift
/// let contract = try OpenAPI(
///     json: Data(contentsOf: URL(filePath: "openapi.json"))
/// )
/// let violations = try contract.violations(of: api.user(7).prepared())
/// ```
///
/// It checks the server, the path, the method, the parameters, the media type, and JSON and form bodies. It doesn't
/// check security requirements, multipart and other bodies, trailers, callbacks, links, references to other documents,
/// and what ``unchecked`` lists.
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

    /// The keywords, formats, patterns, references and media types of the document that aren't checked, sorted, such as
    /// `contains`, `format: hostname`, `pattern: (?!a)` and `content: text/csv`.
    ///
    /// Patterns are matched in linear time, so lookaround, backreferences, word boundaries, named groups and Unicode
    /// properties aren't supported.
    public let unchecked: [String]

    /// Checks the values of named schemas with a validator of yours, too. Default: `nil`.
    ///
    /// The closure gets a value, also within another one, and the reference to its schema, such as
    /// `#/components/schemas/User`. It returns a ``Violation/message`` for each mistake.
    public var validate: (@Sendable (_ value: JSONValue, _ reference: String) -> [String])?

    let schemas: SchemaDocument
    private let anyHost: Bool
    private let items: [PathItem]
    /// The names of API keys in the query, which aren't parameters.
    let keyNames: Set<String>

    /// Parses a document.
    ///
    /// - Parameters:
    ///   - data: The document as JSON.
    ///   - anyHost: Whether requests can have another scheme, host and port than the document's servers. Default:
    ///     `false`.
    /// - Throws: ``InvalidDocument`` if the data isn't an OpenAPI 3.0 or 3.1 document.
    public init(json data: Data, anyHost: Bool = false) throws(InvalidDocument) {
        guard let document = JSONValue(parsing: data) else {
            throw InvalidDocument(description: "the document isn't JSON; decode YAML as a JSONValue first")
        }
        try self.init(document, anyHost: anyHost)
    }

    /// Creates a document from a value, for example from YAML that another library has decoded as a `JSONValue`.
    ///
    /// - Parameters:
    ///   - document: The document.
    ///   - anyHost: Whether requests can have another scheme, host and port than the document's servers. Default:
    ///     `false`.
    /// - Throws: ``InvalidDocument`` if the value isn't an OpenAPI 3.0 or 3.1 document.
    public init(_ document: JSONValue, anyHost: Bool = false) throws(InvalidDocument) {
        guard let version = document["openapi"]?.string, version.hasPrefix("3.0") || version.hasPrefix("3.1") else {
            throw InvalidDocument(description: "the document isn't OpenAPI 3.0 or 3.1; convert it to one of them")
        }
        self.anyHost = anyHost
        schemas = SchemaDocument(document, isOld: version.hasPrefix("3.0"))
        unchecked = schemas.unchecked.sorted()
        // Paths with more literal segments are more specific, so they are tried first.
        items = (document["paths"]?.members ?? [:]).flatMap { PathItem.all($0.key, $0.value, in: document) }
            .sorted { ($0.literalCount, $1.template) > ($1.literalCount, $0.template) }
        let schemes = (document["components"]?["securitySchemes"]?.members ?? [:]).values
        keyNames = Set(schemes.filter { $0["in"]?.string == "query" }.compactMap { $0["name"]?.string })
    }

    /// Returns the operation that a request calls, with the values of the path's parameters.
    func operation(for request: PreparedRequest) throws(Violation) -> (Operation, [String: String]) {
        let path = PathItem.segments(of: request.url.path)
        var methods: Set<String> = []
        for item in items {
            for rest in item.servers.compactMap({ $0.rest(of: path, request.url.origin, ignoringOrigin: anyHost) }) {
                guard let parameters = item.parameters(in: rest) else { continue }
                if let operation = item.operations[request.method.rawValue] { return (operation, parameters) }
                methods.formUnion(item.operations.keys)
            }
        }
        let shown = Redaction.quoted(request.url.path)
        guard methods.isEmpty else {
            let message = "isn't declared for \(shown); use \(methods.sorted().joined(separator: ", "))"
            throw Violation(place: "method", message: "\(request.method) \(message)")
        }
        let servers = Set(items.flatMap(\.servers).map(\.url)).subtracting(["/"]).sorted()
        let hint = servers.isEmpty ? "" : " and the server: \(servers.prefix(5).joined(separator: ", "))"
        throw Violation(place: "path", message: "\(shown) isn't in the document; check the path\(hint)")
    }
}
