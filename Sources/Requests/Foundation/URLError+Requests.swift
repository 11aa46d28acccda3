#if FullFoundation
import Foundation

extension URLError {
    /// Creates the error that a `URLSession` reports for an error of a transport, which is the underlying error.
    ///
    /// If the transport's own error was a `URLError`, this one has its code.
    public init(_ error: TransportError) { self.init(describing: error) }

    /// Creates the error that a `URLSession` reports for any error of a call.
    ///
    /// - Parameter url: The URL of the request, for `failingURL`. Its secrets are redacted, because a `URLError` prints
    ///   it.
    package init(describing error: any Error, failing url: URL? = nil) {
        if let error = error as? URLError {
            self = error
            return
        }
        var userInfo: [String: Any] = [NSLocalizedDescriptionKey: Redaction.reason(error), NSUnderlyingErrorKey: error]
        if let url {
            let shown = (try? RequestURL(url.absoluteString).description) ?? URLError.withoutSecrets(url)
            userInfo[NSURLErrorFailingURLErrorKey] = URL(string: shown)
        }
        self.init(URLError.code(of: error), userInfo: userInfo)
    }

    /// Returns the URL of another scheme without its user info, query and fragment.
    private static func withoutSecrets(_ url: URL) -> String {
        guard var parts = URLComponents(url: url, resolvingAgainstBaseURL: true) else { return "" }
        (parts.user, parts.password, parts.query, parts.fragment) = (nil, nil, nil, nil)
        return parts.string ?? ""
    }

    private static func code(of error: any Error) -> Code {
        switch error {
        case let error as TransportError: (error.underlying as? URLError)?.code ?? code(of: error)
        case let error as RequestError: code(of: error)
        case let error as ClientError: codes[error.code] ?? .badServerResponse
        case is CancellationError: .cancelled
        default: .unknown
        }
    }

    private static func code(of error: TransportError) -> Code {
        switch error.code {
        case .nameNotResolved: .cannotFindHost
        case .cannotConnect, .addressNotAllowed, .proxy: .cannotConnectToHost
        case _ where error.isTimeout: .timedOut
        case .tlsUntrusted, .pinMismatch: .serverCertificateUntrusted
        case .tlsFailed: .secureConnectionFailed
        case .closed, .truncated: .networkConnectionLost
        case .malformed: .badServerResponse
        case .decoding: .cannotDecodeContentData
        case .tooLarge: .dataLengthExceedsMaximum
        case .sourceFailed: .requestBodyStreamExhausted
        case .shutdown: .cancelled
        default: .unknown
        }
    }

    private static func code(of error: RequestError) -> Code {
        switch error.code {
        case .unsupportedScheme: .unsupportedURL
        case .missingHost, .invalidHost, .invalidPort, .userInfo, .dotSegment, .notAFoundationURL: .badURL
        case .invalidTimeout: .timedOut
        case .bodyAlreadyRead, .bodyLengthMismatch: .requestBodyStreamExhausted
        case .unreadableFile where error.message.hasSuffix("\(RequestError.fileIsMissing)."): .fileDoesNotExist
        case .unreadableFile where error.message.hasSuffix("\(RequestError.fileIsDirectory)."): .fileIsDirectory
        case .unreadableFile where error.message.hasSuffix("\(RequestError.fileIsProtected)."): .noPermissionsToReadFile
        case .unreadableFile: .cannotOpenFile
        default: .unknown
        }
    }

    private static let codes: [ClientError.Code: Code] = [
        .redirectLimit: .httpTooManyRedirects,
        .bodyNotReplayable: .requestBodyStreamExhausted,
        .refreshFailed: .userAuthenticationRequired,
        // Of a cache.
        ClientError.Code(rawValue: "notCached"): .resourceUnavailable,
    ]
}
#endif
