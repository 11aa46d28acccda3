import Requests

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
