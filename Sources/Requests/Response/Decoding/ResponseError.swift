import Foundation

/// A response that arrived whole and is not what was asked for.
public struct ResponseError: QuotableError, Sendable {
    /// The kind of fault.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The code's name.
        public let rawValue: String

        /// Creates a code.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The code's name.
        public var description: String { rawValue }

        /// The status code is outside the accepted ones.
        public static let status = Code(rawValue: "status")
        /// The media type is not one of those that were asked for.
        public static let contentType = Code(rawValue: "contentType")
        /// The operation was answered with errors (GraphQL §7.1).
        public static let graphQL = Code(rawValue: "graphQL")
        /// The body is not what the decoder reads.
        public static let decoding = Code(rawValue: "decoding")
    }

    /// The kind of fault.
    public let code: Code

    /// The response's head.
    public let head: ResponseHead

    /// The response's body.
    public let data: Data

    /// What is wrong, in one line without the body.
    public let message: String

    /// The error of the decoder, or what the API says about the failure: see ``ResponseDecoder/errors(as:decoder:)``.
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

extension ResponseError: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable, LocalizedError {
    /// The code and the message.
    public var description: String { "\(code): \(message)" }

    /// The same as ``description``: head and body may hold secrets.
    public var debugDescription: String { description }

    /// The same as ``description``.
    public var errorDescription: String? { description }

    /// Code and message alone.
    public var customMirror: Mirror { Mirror(self, children: ["code": code, "message": message]) }
}

extension ResponseError {
    /// The first 80 bytes of the body as one line of text, for a person who may see it.
    ///
    /// No description holds it: a body can be a secret.
    public var excerpt: String {
        let text = Redaction.escaped(String(decoding: data.prefix(80), as: UTF8.self))
        return data.count > 80 ? text + "…" : text
    }
}

extension ResponseError {
    static func status(
        _ head: ResponseHead,
        _ data: Data,
        _ underlying: (any Error)? = nil
    ) -> ResponseError {
        ResponseError(
            code: .status,
            head: head,
            data: data,
            message: "\(head.url) answered \(head.statusCode) (\(data.count) bytes)",
            underlying: underlying
        )
    }

    /// - Parameter type: The media type, where that is another than what was asked for, and so the likely cause.
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
            message: "the \(data.count) bytes from \(head.url) are not \(what): "
                + (data.isEmpty ? "the body is empty" : reason(of: underlying))
                + (type.map { ", and its Content-Type is \(Redaction.escaped($0.typeAndSubtype))" } ?? ""),
            underlying: underlying
        )
    }

    /// Where in the document the decoder stopped, and what it expected there.
    ///
    /// - Parameter depth: How many keys of the path are left out, for they are known.
    static func reason(of error: any Error, below depth: Int = 0) -> String {
        func path(_ allKeys: [any CodingKey]) -> String {
            let keys = allKeys.dropFirst(depth)
            return keys.isEmpty
                ? "the top level"
                : keys.map { $0.intValue.map { "[\($0)]" } ?? ".\(Redaction.escaped($0.stringValue))" }.joined()
        }
        return switch error as? DecodingError {
        case .typeMismatch(let type, let context): "\(path(context.codingPath)) is not \(withArticle(type))"
        case .valueNotFound(let type, let context): "\(path(context.codingPath)) is null, not \(withArticle(type))"
        case .keyNotFound(let key, let context):
            "\(path(context.codingPath)) has no key \(Redaction.escaped(key.stringValue))"
        case .dataCorrupted(let context) where context.codingPath.isEmpty && isNoJSON(context): "it is not valid JSON"
        // Its own words can quote the document.
        case .dataCorrupted(let context): "\(path(context.codingPath)) cannot be read"
        case nil: (error as? UnwrappingError)?.description ?? "\(type(of: error))"
        default: "\(type(of: error))"
        }
    }

    private static func isNoJSON(_ context: DecodingError.Context) -> Bool {
        context.debugDescription.hasPrefix("The given data was not valid JSON")
    }

    /// What a type is called in a sentence: those that JSON has a word for by that.
    static func withArticle(_ type: any Any.Type) -> String {
        if type == [String: Any].self { return "an object" }
        if type == [Any].self { return "an array" }
        let name = "\(type)"
        return name.first.map { "AEIO".contains($0) } == true ? "an \(name)" : "a \(name)"
    }
}
