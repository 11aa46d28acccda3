/// A request that can't be built or sent.
public struct RequestError: QuotableError, Hashable, Sendable {
    /// The kind of error.
    public let code: Code

    /// The part that is wrong, such as a header field's name, a host or a number. Never a field's value.
    public let subject: String

    /// The problem and what to do about it: one or two sentences in one line.
    public let message: String

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The kind of error.
    ///   - subject: The part that is wrong, without secrets.
    ///   - message: What is wrong and what to do: one or two sentences in one line, without secrets.
    public init(code: Code, subject: String, message: String) {
        self.code = code
        self.subject = subject
        self.message = message
    }
}

extension RequestError {
    /// A kind of error.
    public struct Code: ErrorCode {
        /// The code's name.
        public let rawValue: String

        /// Creates a code.
        public init(rawValue: String) { self.rawValue = rawValue }
    }
}

/// The message.
extension RequestError.Code {
    /// The method isn't a token (RFC 9110 §9.1).
    public static let invalidMethod = Self(rawValue: "invalidMethod")
    /// A header field's name isn't a token (RFC 9110 §5.1).
    public static let invalidFieldName = Self(rawValue: "invalidFieldName")
    /// A header field's value contains a control character (RFC 9110 §5.5), or text that this field doesn't allow.
    public static let invalidFieldValue = Self(rawValue: "invalidFieldValue")
    /// A literal isn't a media type, or a type, subtype or parameter name isn't a token (RFC 9110 §8.3.1).
    public static let invalidMediaType = Self(rawValue: "invalidMediaType")
    /// The request sets a wrong `Content-Length`, `Transfer-Encoding` or a second `Host` (RFC 9112 §3.2, §6).
    public static let conflictingFraming = Self(rawValue: "conflictingFraming")
    /// A timeout isn't positive.
    public static let invalidTimeout = Self(rawValue: "invalidTimeout")
    /// A status code is outside 100…999 (RFC 9110 §15).
    public static let invalidStatusCode = Self(rawValue: "invalidStatusCode")
}

/// The URL.
extension RequestError.Code {
    /// The URL has no scheme, or one other than `http` and `https`.
    public static let unsupportedScheme = Self(rawValue: "unsupportedScheme")
    /// The URL has no host.
    public static let missingHost = Self(rawValue: "missingHost")
    /// The host is neither a DNS name nor an IP address.
    public static let invalidHost = Self(rawValue: "invalidHost")
    /// The port isn't a number between 0 and 65535.
    public static let invalidPort = Self(rawValue: "invalidPort")
    /// The URL contains a user name or a password.
    public static let userInfo = Self(rawValue: "userInfo")
    /// A segment of the path is `.` or `..`, encoded or not.
    public static let dotSegment = Self(rawValue: "dotSegment")
    /// A value interpolated into a path is empty, `.` or `..`, encoded or not.
    public static let unsafeSegment = Self(rawValue: "unsafeSegment")
    /// The literal of an endpoint contains a fragment or an absolute URL.
    public static let invalidEndpoint = Self(rawValue: "invalidEndpoint")
    /// A link's scheme, host or port differs from the API's.
    public static let otherOrigin = Self(rawValue: "otherOrigin")
    /// A string isn't an origin, so the credentials for it would have no effect.
    public static let invalidOrigin = Self(rawValue: "invalidOrigin")
    /// Foundation can't represent the URL.
    public static let notAFoundationURL = Self(rawValue: "notAFoundationURL")
}

/// The body.
extension RequestError.Code {
    /// A body that can be read only once was already read.
    public static let bodyAlreadyRead = Self(rawValue: "bodyAlreadyRead")
    /// A body is larger than the limit for collecting it.
    public static let bodyTooLarge = Self(rawValue: "bodyTooLarge")
    /// A body's source gave more or fewer bytes than its stated length.
    public static let bodyLengthMismatch = Self(rawValue: "bodyLengthMismatch")
    /// A file can't be read, or lacks the requested bytes.
    public static let unreadableFile = Self(rawValue: "unreadableFile")
    /// The function can't read this kind of body, such as a sequence of chunks for a `URLRequest`.
    public static let unsupportedBody = Self(rawValue: "unsupportedBody")
}

/// Authentication and decoding.
extension RequestError.Code {
    /// The authentication scheme can't represent the credentials (RFC 6750 §2.1, RFC 7617 §2).
    public static let invalidCredentials = Self(rawValue: "invalidCredentials")
    /// The authentication provider is asynchronous, so only a client can run it.
    public static let asynchronousAuthentication = Self(rawValue: "asynchronousAuthentication")
    /// The response decoder is asynchronous, so only a client can run it.
    public static let asynchronousDecoding = Self(rawValue: "asynchronousDecoding")
}

/// An error with a code and a message, which contain no secrets. Its other properties may.
package protocol QuotableError: RedactedError {
    associatedtype Code: ErrorCode

    var code: Code { get }
    var message: String { get }
}

extension QuotableError {
    /// The code and the message.
    public var description: String { "\(code): \(message)" }
}

/// A name from a list that others can extend, such as an error's code.
package protocol ErrorCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible where RawValue == String {}

extension ErrorCode {
    /// The name.
    public var description: String { rawValue }
}
