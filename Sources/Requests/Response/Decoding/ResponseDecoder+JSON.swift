import Foundation

extension ResponseDecoder where Response: Decodable {
    /// A value from JSON.
    ///
    /// - Parameters:
    ///   - type: The value's type, for a call site that does not say it otherwise.
    ///   - decoder: The decoder, which must not be changed afterwards; by default that of the API's
    ///     ``RequestProviding/coders``, and a plain `JSONDecoder()` where no API is.
    public static func json(
        encoded type: Response.Type = Response.self,
        decoder: JSONDecoder? = nil
    ) -> ResponseDecoder {
        reading("the JSON of \(ResponseError.withArticle(Response.self))", with: decoder) { json, data in
            try json.decode(Response.self, from: data)
        }
    }

    /// A value from a place in JSON.
    ///
    /// ```swift
    /// let first = api.get(.json(encoded: User.self, at: "data.users.0"), from: "/users")
    /// ```
    ///
    /// - Parameters:
    ///   - type: The value's type, for a call site that does not say it otherwise.
    ///   - path: Keys with dots between them; a number counts in an array, from 0. Keys are written as the decoder's
    ///     key strategy leaves them.
    ///   - decoder: The decoder, which must not be changed afterwards; by default that of the API's
    ///     ``RequestProviding/coders``, and a plain `JSONDecoder()` where no API is.
    public static func json(
        encoded type: Response.Type = Response.self,
        at path: String,
        decoder: JSONDecoder? = nil
    ) -> ResponseDecoder {
        let keys = path.split(separator: ".").map { TextKey(String($0)) }
        return reading(
            "JSON with \(ResponseError.withArticle(Response.self)) at \(Redaction.quoted(path))",
            with: decoder
        ) { json, data in
            try json.decode(AtPath<Response>.self, from: data, configuration: keys).value
        }
    }

    /// The value that a JSON object wraps, whatever the name it has there.
    ///
    /// Of `{"user": {"id": 1}, "took": 3}` it gives the `User`. That none or several of the object's values are one is
    /// ``ResponseError/Code/decoding``.
    ///
    /// - Parameters:
    ///   - type: The value's type, for a call site that does not say it otherwise.
    ///   - key: The name, where several could be meant, written as the decoder's key strategy leaves it; `nil`, the
    ///     default, for whichever decodes.
    ///   - decoder: The decoder, which must not be changed afterwards; by default that of the API's
    ///     ``RequestProviding/coders``, and a plain `JSONDecoder()` where no API is.
    public static func unwrapped(
        _ type: Response.Type = Response.self,
        key: String? = nil,
        decoder: JSONDecoder? = nil
    ) -> ResponseDecoder {
        if let key {
            return reading(
                "JSON that wraps \(ResponseError.withArticle(Response.self)) as \(Redaction.quoted(key))",
                with: decoder
            ) { json, data in
                try json.decode(AtPath<Response>.self, from: data, configuration: [TextKey(key)]).value
            }
        }
        return reading("JSON that wraps one \(Response.self)", with: decoder) { json, data in
            try json.decode(Unwrapped<Response>.self, from: data).value
        }
    }

    /// The elements of a JSON array that can be decoded.
    ///
    /// - Parameters:
    ///   - type: The elements' type, for a call site that does not say it otherwise.
    ///   - decoder: The decoder, which must not be changed afterwards; by default that of the API's
    ///     ``RequestProviding/coders``, and a plain `JSONDecoder()` where no API is.
    ///   - onDropped: Is told which elements are missing, and why, when some are.
    public static func lossyArray<Element>(
        of type: Element.Type = Element.self,
        decoder: JSONDecoder? = nil,
        onDropped: (@Sendable ([DroppedElement]) -> Void)? = nil
    ) -> ResponseDecoder where Response == [Element] {
        reading("a JSON array", with: decoder) { json, data in
            let array = try json.decode(LossyArray<Element>.self, from: data)
            if !array.projectedValue.isEmpty { onDropped?(array.projectedValue) }
            return array.wrappedValue
        }
    }

    private static func reading(
        _ what: @autoclosure @escaping @Sendable () -> String,
        with decoder: JSONDecoder?,
        _ read: @escaping @Sendable (JSONDecoder, Data) throws -> Response
    ) -> ResponseDecoder {
        ResponseDecoder { head, data, json in
            do {
                return try read(decoder ?? json, data)
            } catch {
                let type = head.header[.contentType].flatMap { MediaType($0) }
                let otherType = type.flatMap { $0.isJSON ? nil : $0 }
                throw ResponseError.decoding(what(), head, data, error, otherType: otherType)
            }
        }
    }
}
