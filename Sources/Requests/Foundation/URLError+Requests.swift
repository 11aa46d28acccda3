#if FullFoundation
import Foundation

extension URLError {
    /// Creates the error that a `URLSession` reports for an error of a transport, which is the underlying error.
    public init(_ error: TransportError) {
        let code: URLError.Code =
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
            default: .unknown
            }
        self.init(code, underlying: error)
    }

    /// Creates the error that a `URLSession` reports for any error of a call.
    package init(describing error: any Error) {
        switch error {
        case let error as URLError: self = error
        case let error as TransportError: self.init(error)
        case is CancellationError: self.init(.cancelled, underlying: error)
        case is RequestError: self.init(.badURL, underlying: error)
        case let error as ClientError where error.code == .redirectLimit:
            self.init(.httpTooManyRedirects, underlying: error)
        case is ClientError: self.init(.badServerResponse, underlying: error)
        default: self.init(.unknown, underlying: error)
        }
    }

    private init(_ code: Code, underlying error: any Error) {
        self.init(code, userInfo: [NSLocalizedDescriptionKey: Redaction.reason(error), NSUnderlyingErrorKey: error])
    }
}
#endif
