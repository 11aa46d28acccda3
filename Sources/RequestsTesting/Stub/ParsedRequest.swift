import Requests

/// A request whose parts are parsed at most once for all routes and conditions, and only if one of them needs it.
final class ParsedRequest {
    let request: PreparedRequest

    init(_ request: PreparedRequest) {
        self.request = request
    }

    private(set) lazy var origin = request.url.origin

    /// The decoded segments of the path. A URL without a path means the root.
    private(set) lazy var path: [String] = {
        let path = PathSegment.all(of: request.url.path[...]).map(PathSegment.decoded)
        return path.isEmpty ? [""] : path
    }()

    /// The decoded path as text.
    private(set) lazy var pathText: String = {
        let path = request.url.path
        guard path.utf8.contains(UInt8(ascii: "%")) else { return path.isEmpty ? "/" : String(path) }
        return "/" + self.path.joined(separator: "/")
    }()

    private(set) lazy var items = QueryItem.items(of: request.url.query?[...] ?? "")

    /// Whether an item of a query or a form is a credential, by its name and its values.
    func isSecret(_ name: String, _ values: [String?]) -> Bool {
        !request.url.sensitiveNames.isDisjoint(with: [name, RequestURL.wholeTarget])
            || values.contains { Redaction.isSecret(queryName: name, value: Array(($0 ?? "").utf8)[...]) }
    }

    /// Whether nothing of the body is shown.
    var hidesBody: Bool { request.body.isSensitive }

    /// The body without content encodings. `nil` if it can't be read.
    private lazy var content = try? request.content

    /// The body as text. `nil` if it can't be read or isn't UTF-8.
    private(set) lazy var text: String? = content.flatMap { String(validating: $0, as: UTF8.self) }

    private(set) lazy var json: JSONValue? = content.flatMap { JSONValue(parsing: $0) }

    private(set) lazy var form = request.formItems(text ?? "")

    private(set) lazy var cookies: [(name: Substring, value: Substring?)] = request.header[values: .cookie]
        .flatMap { $0.split(separator: ";") }.map { String($0.drop { $0 == " " }).split(at: "=") }

    /// The parts of a multipart body.
    private(set) lazy var parts: [FormPart] =
        request.boundary.flatMap { boundary in content.map { FormPart.parts(of: $0, boundary) } } ?? []
}
