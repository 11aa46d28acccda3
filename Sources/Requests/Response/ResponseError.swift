/// An error for a response that isn't the expected one.
public struct ResponseError: QuotableError, Sendable {
    /// The kind of error.
    public struct Code: ErrorCode {
        /// The code's name.
        public let rawValue: String

        /// Creates a code.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The status isn't accepted.
        public static let status = Code(rawValue: "status")
        /// The media type isn't the expected one.
        public static let contentType = Code(rawValue: "contentType")
        /// The response was accepted, but an event in it reports a failure.
        public static let failure = Code(rawValue: "failure")
        /// The body, or a line of it, couldn't be decoded.
        public static let decoding = Code(rawValue: "decoding")
    }

    /// The kind of error.
    public let code: Code

    /// The response's head.
    public let head: ResponseHead

    /// The response's body, or the line that couldn't be decoded.
    public let data: Data

    /// A message in one line, without the body.
    ///
    /// Includes the description of ``underlying`` if its type is `CustomStringConvertible`.
    public let message: String

    /// The decoder's error, or the API's description of the failure (``ResponseDecoder/decodingErrors(as:decoder:)``).
    public let underlying: (any Error)?

    /// Creates an error.
    public init(code: Code, head: ResponseHead, data: Data, message: String, underlying: (any Error)? = nil) {
        self.code = code
        self.head = head
        self.data = data
        self.message = message
        self.underlying = underlying
    }
}

extension ResponseError {
    /// The response's status code.
    public var statusCode: Int { head.statusCode }

    /// The API's description of the failure, if its type is the expected one.
    ///
    /// ```swift
    /// struct Refusal: Decodable { let reason: String }
    ///
    /// do {
    ///     try await client.send(api.delete("/me"))
    /// } catch let error as ResponseError {
    ///     print(
    ///         error.body(as: Refusal.self)?.reason ?? "status \(error.statusCode)"
    ///     )
    /// }
    /// ```
    ///
    /// Decodes the body unless the request has done so (``Request/decodingErrors(as:)``). `nil` if the body is
    /// something else.
    ///
    /// - Parameters:
    ///   - type: The type of the description.
    ///   - decoder: The decoder. Default: a plain `JSONDecoder()`.
    public func body<Value: Decodable>(
        as type: Value.Type,
        decoder: JSONDecoder = JSONCoders.standard.decoder
    ) -> Value? {
        (underlying as? Value) ?? (try? decoder.decodeLimited(type, from: data))
    }

    /// The first 80 bytes of the body as one line of text.
    ///
    /// Not part of any description, because the body may contain secrets.
    public var excerpt: String {
        let text = Redaction.escaped(String(decoding: data.prefix(80), as: UTF8.self))
        return data.count > 80 ? text + "…" : text
    }
}

extension ResponseError {
    package static func status(
        _ head: ResponseHead,
        _ data: Data,
        _ underlying: (any Error)? = nil
    ) -> ResponseError {
        ResponseError(
            code: .status,
            head: head,
            data: data,
            message: "\(head.url) returned \(head.statusCode) (\(data.count) bytes)."
                + (underlying.flatMap { ownDescription(of: $0) } ?? ""),
            underlying: underlying
        )
    }

    /// Returns a status error that names the method, and says why the request wasn't sent again.
    package func naming(_ method: HTTPMethod, hint: String?) -> ResponseError {
        ResponseError(
            code: code,
            head: head,
            data: data,
            message: "\(method) \(message)" + (hint.map { " \($0)" } ?? ""),
            underlying: underlying
        )
    }

    /// - Parameter data: The data of the event.
    package static func failure(_ head: ResponseHead, _ data: Data, _ underlying: (any Error)?) -> ResponseError {
        ResponseError(
            code: .failure,
            head: head,
            data: data,
            message: "An event from \(head.url) reports a failure."
                + (underlying.flatMap { ownDescription(of: $0) } ?? " The error's data describes it."),
            underlying: underlying
        )
    }

    /// The description that a type defines itself. `nil` for other types, which would show all their properties.
    package static func ownDescription(of error: some Error) -> String? {
        // A cast of the error itself would succeed for every error, which bridges to `NSError`.
        guard type(of: error) is any CustomStringConvertible.Type else { return nil }
        return " " + Redaction.escaped(String("\(error)".unicodeScalars.prefix(500)))
    }

    /// - Parameter type: The media type, if it isn't the expected one and so the likely cause.
    static func decoding(
        _ what: String,
        _ head: ResponseHead,
        _ data: Data,
        _ underlying: any Error,
        otherType type: MediaType? = nil
    ) -> ResponseError {
        ResponseError(
            code: .decoding,
            head: head,
            data: data,
            message: "The body from \(head.url) (\(data.count) bytes) isn't \(what): "
                + (data.isEmpty ? "it is empty." : reason(of: underlying) + ".")
                + (type.map { " Its Content-Type is \(Redaction.escaped($0.typeAndSubtype))." } ?? ""),
            underlying: underlying
        )
    }

    /// - Parameters:
    ///   - number: The line's number, starting at 1.
    ///   - data: The line without its end.
    static func line(
        _ number: Int,
        of type: any Any.Type,
        _ head: ResponseHead,
        _ data: Data,
        _ underlying: any Error
    ) -> ResponseError {
        ResponseError(
            code: .decoding,
            head: head,
            data: data,
            message: "Line \(number) from \(head.url) isn't \(typeName(type)) in JSON: \(reason(of: underlying)).",
            underlying: underlying
        )
    }

    /// - Parameter data: The data of the event.
    package static func event(
        of type: any Any.Type,
        _ head: ResponseHead,
        _ data: Data,
        _ underlying: any Error
    ) -> ResponseError {
        ResponseError(
            code: .decoding,
            head: head,
            data: data,
            message: "An event from \(head.url) isn't \(typeName(type)) in JSON: \(reason(of: underlying)).",
            underlying: underlying
        )
    }

    /// Describes where in the document the decoder stopped, and what it expected there.
    ///
    /// - Parameter depth: The number of leading keys to omit from the path.
    static func reason(of error: any Error, below depth: Int = 0) -> String {
        func path(_ allKeys: [any CodingKey]) -> String {
            let keys = allKeys.dropFirst(depth)
            let steps = keys.map { key in key.intValue.map { "[\($0)]" } ?? ".\(name(key))" }
            return keys.isEmpty ? "the top level" : steps.joined()
        }
        // A server can choose a key.
        func name(_ key: any CodingKey) -> String {
            Redaction.escaped(String(key.stringValue.unicodeScalars.prefix(80)))
        }
        return switch error as? DecodingError {
        case .typeMismatch(let type, let context): "\(path(context.codingPath)) isn't \(typeName(type))"
        case .valueNotFound(let type, let context): "\(path(context.codingPath)) is null, not \(typeName(type))"
        case .keyNotFound(let key, let context):
            "\(path(context.codingPath)) has no key \(name(key))"
        case .dataCorrupted(let context) where context.debugDescription == JSONNesting.message: JSONNesting.message
        case .dataCorrupted(let context) where context.codingPath.isEmpty && isInvalidJSON(context):
            "it isn't valid JSON"
        // The error's description may quote the document.
        case .dataCorrupted(let context): "\(path(context.codingPath)) is invalid"
        case nil: (error as? UnwrappingError)?.description ?? "\(type(of: error))"
        default: "\(type(of: error))"
        }
    }

    private static func isInvalidJSON(_ context: DecodingError.Context) -> Bool {
        context.debugDescription.hasPrefix("The given data was not valid JSON")
    }

    /// Returns the name of a type with its article. JSON types have their JSON name.
    static func typeName(_ type: any Any.Type) -> String {
        if type == [String: Any].self { return "an object" }
        if type == [Any].self { return "an array" }
        let name = "\(type)"
        return name.first.map { "AEIO".contains($0) } == true ? "an \(name)" : "a \(name)"
    }
}
