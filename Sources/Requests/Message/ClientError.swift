/// A call that failed although the server responded, such as after too many redirects.
public struct ClientError: QuotableError, Sendable {
    /// The kind of error.
    public struct Code: ErrorCode {
        /// The code's name.
        public let rawValue: String

        /// Creates a code.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// There were more redirects than the policy allows.
        public static let redirectLimit = Code(rawValue: "redirectLimit")
        /// A redirect or an upload leads from `https` to `http`.
        public static let refusedDowngrade = Code(rawValue: "refusedDowngrade")
        /// A redirect leads to several URLs, or to one that isn't an HTTP URL.
        public static let invalidRedirect = Code(rawValue: "invalidRedirect")
        /// A redirect or an upload leads to another origin, which doesn't get the request's body.
        public static let crossOriginBody = Code(rawValue: "crossOriginBody")
        /// A redirect or a challenge requires the request to be sent again, but its body can be read only once.
        public static let bodyNotReplayable = Code(rawValue: "bodyNotReplayable")
        /// A token couldn't be refreshed.
        public static let refreshFailed = Code(rawValue: "refreshFailed")
        /// The next page is on another origin.
        public static let crossOriginPage = Code(rawValue: "crossOriginPage")
        /// The next page was already requested.
        public static let pageLoop = Code(rawValue: "pageLoop")
        /// A download couldn't be written, or the server sent a wrong part of the file.
        public static let downloadFailed = Code(rawValue: "downloadFailed")
    }

    /// The kind of error.
    public let code: Code

    /// What failed, on what, and what to do, in one line without secrets.
    public let message: String

    /// The heads of the responses that led to the error, oldest first.
    public let history: [ResponseHead]

    /// The error of the layer below, if there is one.
    public let underlying: (any Error)?

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The kind of error.
    ///   - message: What failed, on what, and what to do, in one line without secrets.
    ///   - history: The heads of the responses that led to the error, oldest first. Default: none.
    ///   - underlying: The error of the layer below. Default: `nil`.
    public init(code: Code, message: String, history: [ResponseHead] = [], underlying: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.history = history
        self.underlying = underlying
    }
}

extension ClientError {
    /// - Parameter why: Why the request must be sent again, as the beginning of a sentence.
    package static func bodyNotReplayable(_ why: String, history: [ResponseHead]) -> ClientError {
        ClientError(
            code: .bodyNotReplayable,
            message: "\(why), but its body can be read only once. Use a body in memory or from a file.",
            history: history
        )
    }
}
