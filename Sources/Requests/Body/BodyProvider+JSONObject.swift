import Foundation

extension BodyProvider {
    /// Names and values as a JSON object, encoded once, now.
    ///
    /// ```swift
    /// let person = api.post(.json(["name": name, "tags": ["a", "b"], "age": 36]), to: "/people")
    /// ```
    ///
    /// Values are `Encodable`, or arrays and dictionaries of such; `nil` is `null`. Members come in the order of their
    /// names, so that equal objects are equal bodies. Another value is an error that each build throws.
    ///
    /// - Parameters:
    ///   - object: The members.
    ///   - contentType: The media type, `application/json` by default.
    @_disfavoredOverload
    public static func json(_ object: [String: (any Sendable)?], contentType: MediaType = .json) -> BodyProvider {
        json(encoded: AnyEncodable(value: object), contentType: contentType)
    }
}

extension BodyProvider {
    /// A value of JSON, encoded once, now: what is nested and of different types can be written as a literal.
    ///
    /// ```swift
    /// let person = api.post(.json(["user": ["name": "Ada", "age": 36]]), to: "/users")
    /// ```
    ///
    /// A variable in it is written as a value of JSON, such as `.string(name)`.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - contentType: The media type, `application/json` by default.
    public static func json(_ value: JSONValue, contentType: MediaType = .json) -> BodyProvider {
        json(encoded: value, contentType: contentType)
    }
}

extension BodyProvider {
    /// A text is no document of JSON, but a value of one.
    @available(*, unavailable, message: "use .raw(data:contentType:) for text that is JSON, .json(encoded:) for a text")
    public static func json(_ text: String, contentType: MediaType = .json) -> BodyProvider {
        json(encoded: text, contentType: contentType)
    }

    /// A value of a type of one's own is encoded by its label.
    @available(*, unavailable, message: "write .json(encoded:) for an Encodable value")
    public static func json(_ value: some Encodable, contentType: MediaType = .json) -> BodyProvider {
        json(encoded: value, contentType: contentType)
    }
}

/// A value that may be encodable, or made of such.
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
                debugDescription: "a \(type(of: value)) cannot be encoded as JSON"
            )
            // The type in place of the value, which may be a secret.
            throw EncodingError.invalidValue(type(of: value), context)
        }
    }
}
