extension ResponseDecoder where Response: Decodable {
    /// Decodes a value from JSON.
    ///
    /// - Parameters:
    ///   - type: The type of the value. Default: inferred from the call site.
    ///   - decoder: The decoder. Must not be changed afterwards. Default: the decoder of the API's
    ///     ``RequestProviding/coders``, or a plain `JSONDecoder()` without an API.
    public static func json(
        _ type: Response.Type = Response.self,
        decoder: JSONDecoder? = nil
    ) -> ResponseDecoder {
        reading("\(ResponseError.typeName(Response.self)) in JSON", with: decoder) { json, data in
            try json.decode(Response.self, from: data)
        }
    }

    /// Decodes a value from JSON, whose type is inferred from the call site. The same as ``json(_:decoder:)``.
    public static var json: ResponseDecoder { json() }

    /// Decodes a value from JSON. The same as ``json(_:decoder:)``.
    public static func json(encoded type: Response.Type, decoder: JSONDecoder? = nil) -> ResponseDecoder {
        json(type, decoder: decoder)
    }

    /// Decodes a value at a path in JSON.
    ///
    /// ```swift
    /// let first = api.get(.json(User.self, at: "data.users.0"), from: "/users")
    /// ```
    ///
    /// - Parameters:
    ///   - type: The type of the value. Default: inferred from the call site.
    ///   - path: Keys, or indexes of arrays starting at 0, separated by dots. Keys are compared after the decoder's key
    ///     strategy is applied.
    ///   - decoder: The decoder. Must not be changed afterwards. Default: the decoder of the API's
    ///     ``RequestProviding/coders``, or a plain `JSONDecoder()` without an API.
    public static func json(
        _ type: Response.Type = Response.self,
        at path: String,
        decoder: JSONDecoder? = nil
    ) -> ResponseDecoder {
        let keys = path.split(separator: ".").map { TextKey(String($0)) }
        return reading(
            "JSON with \(ResponseError.typeName(Response.self)) at \(Redaction.quoted(path))",
            with: decoder
        ) { json, data in
            try json.decode(AtPath<Response>.self, from: data, configuration: keys).value
        }
    }

    /// Decodes the value that a JSON object wraps, whatever its key.
    ///
    /// For `{"user": {"id": 1}, "took": 3}`, it returns the `User`. Throws ``ResponseError/Code/decoding`` if none or
    /// several of the object's values can be decoded.
    ///
    /// - Parameters:
    ///   - type: The type of the value. Default: inferred from the call site.
    ///   - key: The key, after the decoder's key strategy is applied. Default: `nil`, the only value that decodes.
    ///   - decoder: The decoder. Must not be changed afterwards. Default: the decoder of the API's
    ///     ``RequestProviding/coders``, or a plain `JSONDecoder()` without an API.
    public static func unwrapped(
        _ type: Response.Type = Response.self,
        key: String? = nil,
        decoder: JSONDecoder? = nil
    ) -> ResponseDecoder {
        if let key {
            return reading(
                "JSON that wraps \(ResponseError.typeName(Response.self)) as \(Redaction.quoted(key))",
                with: decoder
            ) { json, data in
                try json.decode(AtPath<Response>.self, from: data, configuration: [TextKey(key)]).value
            }
        }
        return reading("JSON that wraps \(ResponseError.typeName(Response.self))", with: decoder) { json, data in
            try json.decode(Unwrapped<Response>.self, from: data).value
        }
    }

    /// Decodes the elements of a JSON array, and drops the ones that can't be decoded.
    ///
    /// - Parameters:
    ///   - type: The type of the elements. Default: inferred from the call site.
    ///   - decoder: The decoder. Must not be changed afterwards. Default: the decoder of the API's
    ///     ``RequestProviding/coders``, or a plain `JSONDecoder()` without an API.
    ///   - onDropped: Receives the index of each dropped element and the error, if elements were dropped. Default:
    ///     `nil`.
    public static func lossyArray<Element>(
        of type: Element.Type = Element.self,
        decoder: JSONDecoder? = nil,
        onDropped: (@Sendable ([(index: Int, reason: String)]) -> Void)? = nil
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
                if JSONNesting.isTooDeep(data) { throw JSONNesting.decodingError() }
                return .value(try read(decoder ?? json, data))
            } catch {
                let otherType = head.mediaType.flatMap { $0.isJSON ? nil : $0 }
                throw ResponseError.decoding(what(), head, data, error, otherType: otherType)
            }
        }
    }
}
