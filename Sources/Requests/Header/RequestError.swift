import Foundation

/// A request that could not be built, or is not one that can be sent.
///
/// A URL that is at fault is an ``InvalidRequestURLError`` instead.
public struct RequestError: QuotableError, Hashable, Sendable {
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

        /// The method is not a token (RFC 9110 §9.1).
        public static let invalidMethod = Code(rawValue: "invalidMethod")
        /// A field's name is not a token (RFC 9110 §5.1).
        public static let invalidFieldName = Code(rawValue: "invalidFieldName")
        /// A field's value contains CR, LF or NUL (RFC 9110 §5.5).
        public static let invalidFieldValue = Code(rawValue: "invalidFieldValue")
        /// A field that frames the message contradicts the body, or is not the caller's to set (RFC 9112 §6), or there are
        /// two fields for the host (RFC 9112 §3.2).
        public static let conflictingFraming = Code(rawValue: "conflictingFraming")
        /// Credentials that the scheme cannot carry (RFC 7617 §2).
        public static let invalidCredentials = Code(rawValue: "invalidCredentials")
        /// The authentication provider is asynchronous: only a client can run it.
        public static let asynchronousAuthentication = Code(rawValue: "asynchronousAuthentication")
        /// The authentication provider changes more than a header: it needs the whole request.
        public static let authenticationBeyondHeader = Code(rawValue: "authenticationBeyondHeader")
        /// The response decoder is asynchronous: only a client can run it.
        public static let asynchronousDecoding = Code(rawValue: "asynchronousDecoding")
        /// A body that can be read once was opened a second time.
        public static let bodyAlreadyRead = Code(rawValue: "bodyAlreadyRead")
        /// A body that is collected is larger than the limit for it.
        public static let bodyTooLarge = Code(rawValue: "bodyTooLarge")
        /// A body's source gave more or fewer bytes than the body's length.
        public static let bodyLengthMismatch = Code(rawValue: "bodyLengthMismatch")
        /// A file that is to be sent cannot be read, or lacks the bytes that were asked for.
        public static let unreadableFile = Code(rawValue: "unreadableFile")
        /// A body that what it was built for cannot carry.
        public static let unsupportedBody = Code(rawValue: "unsupportedBody")
        /// A timeout that is not a positive length of time.
        public static let invalidTimeout = Code(rawValue: "invalidTimeout")
        /// A status code outside 100…999 (RFC 9110 §15).
        public static let invalidStatusCode = Code(rawValue: "invalidStatusCode")
    }

    /// The kind of fault.
    public let code: Code

    /// What is at fault: a field's name, a method, a number. Never a field's value.
    public let culprit: String

    /// What is wrong and what to do, in one line.
    public let message: String

    package init(code: Code, culprit: String, message: String) {
        self.code = code
        self.culprit = culprit
        self.message = message
    }
}

extension RequestError: CustomStringConvertible, LocalizedError {
    /// The code and the message.
    public var description: String { "\(code): \(message)" }

    /// The same as ``description``.
    public var errorDescription: String? { description }
}

extension RequestError {
    static func invalidFieldName(_ name: String) -> RequestError {
        RequestError(
            code: .invalidFieldName,
            culprit: name,
            message: "the field name \(Redaction.quoted(name)) is not a token; use letters, digits and !#$%&'*+-.^_`|~"
        )
    }

    static func invalidFieldValue(of name: Field.Name) -> RequestError {
        RequestError(
            code: .invalidFieldValue,
            culprit: name.rawValue,
            message: "the value of the field \(name) contains a line break or NUL; remove or encode it"
        )
    }
}
