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
    private(set) lazy var pathText = "/" + path.joined(separator: "/")

    private(set) lazy var items = QueryItem.items(of: request.url.query?[...] ?? "")

    /// Whether an item of a query or a form is a credential, by its name and its values.
    func isSecret(_ name: String, _ values: [String?]) -> Bool {
        !request.url.sensitiveNames.isDisjoint(with: [name, RequestURL.wholeTarget])
            || values.contains { Redaction.isSecret(queryName: name, value: Array(($0 ?? "").utf8)[...]) }
    }

    /// Whether nothing of the body is shown.
    var hidesBody: Bool { request.body.isSensitive }

    /// The body as text. `nil` if it isn't in memory or isn't UTF-8.
    private(set) lazy var text: String? = request.body.data.flatMap { String(validating: $0, as: UTF8.self) }

    private(set) lazy var json: JSONValue? = request.body.data.flatMap { JSONValue(parsing: $0) }

    /// The fields of a form. In a form, unlike in a URL, `+` means a space.
    private(set) lazy var form = QueryItem.items(of: (text ?? "").replacing("+", with: "%20")[...])

    private(set) lazy var cookies: [(name: Substring, value: Substring?)] = request.header[values: .cookie]
        .flatMap { $0.split(separator: ";") }.map { String($0.drop { $0 == " " }).split(at: "=") }

    /// The parts of a multipart body.
    private(set) lazy var parts: [FormPart] = {
        let boundary = request.header[.contentType].flatMap { MediaType($0) }?.boundary
        return boundary.flatMap { boundary in request.body.data.map { FormPart.parts(of: $0, boundary) } } ?? []
    }()
}

/// The parts of a request that a reply or an assertion reads most often.
extension PreparedRequest {
    /// Returns the decoded value of the first query item with a name. Empty if the item has no `=`, and `nil` if there
    /// is no such item.
    public func query(_ name: String) -> String? { QueryItem.value(of: name, in: ParsedRequest(self).items) }

    /// Returns the decoded value of the first field with a name, if the body is a form
    /// (`application/x-www-form-urlencoded`). `Content-Type` isn't checked.
    public func form(_ name: String) -> String? { QueryItem.value(of: name, in: ParsedRequest(self).form) }

    /// Decodes the body from JSON.
    ///
    /// ```swift
    /// let stub = StubTransport(routes: [.post("/users", .reply(201))])
    /// try await Client(transport: stub).send(api.post(json: user, to: "/users"))
    /// let sent = try stub.requests[0].json(User.self)
    /// let name = try stub.requests[0].json()["name"]?.string
    /// ```
    ///
    /// - Parameters:
    ///   - type: The type of the value. Default: `JSONValue`.
    ///   - coders: The decoder. Default: `standard`.
    /// - Throws: `DecodingError` if the body isn't JSON of this type, or isn't in memory.
    public func json<Value: Decodable>(
        _ type: Value.Type = JSONValue.self,
        coders: JSONCoders = .standard
    ) throws -> Value {
        try coders.decoder.decodeLimited(type, from: body.data ?? Data())
    }
}

extension QueryItem {
    fileprivate static func value(of name: String, in items: [QueryItem]) -> String? {
        items.first { $0.name == name }.map { $0.value ?? "" }
    }
}
