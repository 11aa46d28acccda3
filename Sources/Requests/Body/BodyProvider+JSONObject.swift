import Foundation

extension BodyProvider {
    /// Names and values as a JSON object, encoded once, now.
    ///
    /// ```swift
    /// api.post(.json(["name": name, "tags": ["a", "b"], "age": 36]), to: "/people")
    /// ```
    ///
    /// Values are `Encodable`, or arrays and dictionaries of such; `nil` is `null`. Members come in the order of their
    /// names, so that equal objects are equal bodies. Another value is an error that each build throws.
    ///
    /// - Parameters:
    ///   - object: The members.
    ///   - contentType: The media type, `application/json` by default.
    public static func json(_ object: [String: (any Sendable)?], contentType: MediaType = .json) -> BodyProvider {
        json(encoded: AnyEncodable(value: object), contentType: contentType)
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
            throw EncodingError.invalidValue(value, context)
        }
    }
}
