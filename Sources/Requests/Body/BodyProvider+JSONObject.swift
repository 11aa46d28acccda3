extension BodyProvider {
    /// A JSON value, written as a literal.
    ///
    /// ```swift
    /// let person = api.post(.json(["user": ["name": .string(name), "tags": ["a", "b"], "age": 36]]), to: "/users")
    /// ```
    ///
    /// Variables are written as JSON values, such as `.string(name)`. Object members are sorted by name.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - contentType: The media type. Default: `application/json`. `nil` keeps the request's own.
    public static func json(_ value: JSONValue, contentType: MediaType? = .json) -> BodyProvider {
        json(encoded: value, contentType: contentType)
    }

    /// A dictionary as a JSON object.
    ///
    /// Values are `Encodable`, or arrays and dictionaries of such values; `nil` is `null`. Members are sorted by name,
    /// so that equal dictionaries make equal bodies. Building a request throws if a value can't be encoded.
    ///
    /// - Parameters:
    ///   - object: The members.
    ///   - contentType: The media type. Default: `application/json`. `nil` keeps the request's own.
    public static func json(
        object: [String: (any Sendable)?],
        contentType: MediaType? = .json
    ) -> BodyProvider {
        json(encoded: AnyEncodable(value: object), contentType: contentType)
    }
}

extension BodyProvider {
    /// A string is a JSON value, not a JSON document.
    @available(*, unavailable, message: "use .raw(data:contentType:) for JSON text, .json(encoded:) for a string value")
    public static func json(_ text: String, contentType: MediaType? = .json) -> BodyProvider {
        json(encoded: text, contentType: contentType)
    }

    /// A value of your own type needs the label `encoded`.
    @available(*, unavailable, message: "write .json(encoded:) for an Encodable value")
    public static func json(_ value: some Encodable, contentType: MediaType? = .json) -> BodyProvider {
        json(encoded: value, contentType: contentType)
    }

    /// A dictionary of mixed values needs the label `object`.
    @available(*, unavailable, message: "write .json(object:) for a dictionary of mixed values")
    public static func json(
        _ object: [String: (any Sendable)?],
        contentType: MediaType? = .json
    ) -> BodyProvider {
        json(object: object, contentType: contentType)
    }
}

/// Any value that may be encodable, or an array or a dictionary of such values.
private struct AnyEncodable: Encodable {
    let value: (any Sendable)?

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch value {
        case nil: try container.encodeNil()
        case let value as any Encodable: try container.encode(value)
        case let values as [(any Sendable)?]: try container.encode(values.map { AnyEncodable(value: $0) })
        case let object as [String: (any Sendable)?]: try container.encode(object.mapValues { AnyEncodable(value: $0) })
        case .some(let value):
            let context = EncodingError.Context(
                codingPath: encoder.codingPath,
                debugDescription: "A value of type \(type(of: value)) can't be encoded as JSON."
            )
            // The type instead of the value, which may be a secret.
            throw EncodingError.invalidValue(type(of: value), context)
        }
    }
}
