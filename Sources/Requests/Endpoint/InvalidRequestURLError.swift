import Foundation

/// A URL that cannot be requested, or that could not be built from a base URL and an endpoint.
public struct InvalidRequestURLError: QuotableError, Hashable, Sendable {
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

        /// The scheme is neither `http` nor `https`, or there is none.
        public static let unsupportedScheme = Code(rawValue: "unsupportedScheme")
        /// There is no host.
        public static let missingHost = Code(rawValue: "missingHost")
        /// The host is neither a DNS name nor an IP address.
        public static let invalidHost = Code(rawValue: "invalidHost")
        /// The port is not a number between 0 and 65535.
        public static let invalidPort = Code(rawValue: "invalidPort")
        /// There is a user name or a password in the URL.
        public static let userInfo = Code(rawValue: "userInfo")
        /// A segment of the path is `.` or `..`, as it is or encoded.
        public static let dotSegment = Code(rawValue: "dotSegment")
        /// A value interpolated into an ``Endpoint`` is empty, `.` or `..`, as it is or after one decoding.
        public static let unsafeSegment = Code(rawValue: "unsafeSegment")
        /// A link leads to another scheme, host or port than the API's.
        public static let otherOrigin = Code(rawValue: "otherOrigin")
        /// Foundation does not read the URL.
        public static let notAFoundationURL = Code(rawValue: "notAFoundationURL")
    }

    /// The kind of fault.
    public let code: Code

    /// The part that is at fault, as it was given. User info is replaced.
    public let culprit: String

    /// What is wrong and what to do, in one line.
    public let message: String

    package init(code: Code, culprit: String, message: String) {
        self.code = code
        self.culprit = culprit
        self.message = message
    }
}

extension InvalidRequestURLError: CustomStringConvertible, LocalizedError {
    /// The code and the message.
    public var description: String { "\(code): \(message)" }

    /// The same as ``description``.
    public var errorDescription: String? { description }
}

extension InvalidRequestURLError {
    static func unsafeSegment(_ value: String, after path: String) -> InvalidRequestURLError {
        InvalidRequestURLError(
            code: .unsafeSegment,
            culprit: value,
            message: "the value \(Redaction.quoted(value)) after \(Redaction.quoted(path)) would not be one path "
                + "segment; check it before it becomes part of an endpoint"
        )
    }

    static func dotSegment(_ segment: String, in path: String) -> InvalidRequestURLError {
        InvalidRequestURLError(
            code: .dotSegment,
            culprit: segment,
            message: "the segment \(Redaction.quoted(segment)) in \(Redaction.quoted(path)) leads out of its place, "
                + "encoded or not; write the path without it"
        )
    }
}
