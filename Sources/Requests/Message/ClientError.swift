import Foundation

/// What ended a request whose exchanges went well: a policy of the client.
public struct ClientError: QuotableError, Sendable {
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

        /// There were more redirects than the policy's limit.
        public static let redirectLimit = Code(rawValue: "redirectLimit")
        /// A redirect leads to a request that was made before.
        public static let redirectLoop = Code(rawValue: "redirectLoop")
        /// A redirect leads from `https` to `http`.
        public static let refusedDowngrade = Code(rawValue: "refusedDowngrade")
        /// A redirect leads to no URL of HTTP, or to several.
        public static let invalidRedirect = Code(rawValue: "invalidRedirect")
        /// A redirect or a challenge asks for the request again, and its body can be read once.
        public static let bodyNotReplayable = Code(rawValue: "bodyNotReplayable")
        /// A token could not be refreshed.
        public static let refreshFailed = Code(rawValue: "refreshFailed")
        /// The next page is at another origin.
        public static let foreignPage = Code(rawValue: "foreignPage")
        /// The next page is one that came before.
        public static let pageLoop = Code(rawValue: "pageLoop")
        /// A download could not be written, or does not fit to what came before.
        public static let downloadFailed = Code(rawValue: "downloadFailed")
    }

    /// The kind of fault.
    public let code: Code

    /// What failed, on what, and what to do, in one line without secrets.
    public let message: String

    /// The heads of the responses that led here, oldest first.
    public let history: [ResponseHead]

    /// The error below, where there is one.
    public let underlying: (any Error)?

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The kind of fault.
    ///   - message: What failed, on what, and what to do, in one line without secrets.
    ///   - history: The heads of the responses that led here, oldest first; none by default.
    ///   - underlying: The error below; `nil` by default.
    public init(code: Code, message: String, history: [ResponseHead] = [], underlying: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.history = history
        self.underlying = underlying
    }

    /// How many responses ``history`` has.
    ///
    /// There may have been more exchanges: of a request that was sent again by a retry policy, or for a challenge before
    /// a redirect, the last response alone led here. It is 0 where the error is about no response, as that of a token
    /// that could not be refreshed.
    public var attempts: Int { history.count }
}

extension ClientError: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable, LocalizedError {
    /// The code and the message.
    public var description: String { "\(code): \(message)" }

    /// The same as ``description``: heads may hold secrets.
    public var debugDescription: String { description }

    /// The same as ``description``.
    public var errorDescription: String? { description }

    /// Code and message alone.
    public var customMirror: Mirror { Mirror(self, children: ["code": code, "message": message]) }
}

extension ClientError {
    static func bodyNotReplayable(_ why: String, history: [ResponseHead]) -> ClientError {
        ClientError(
            code: .bodyNotReplayable,
            message: "\(why), and the body can be read once; use a body of data or of a file",
            history: history
        )
    }
}
