#if FullFoundation
import Foundation
import Requests
import RequestsClient

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension SessionExchange {
    /// Returns the `TransportError` or `CancellationError` for an error of Foundation.
    func failure(for error: any Error) -> any Error {
        guard let error = error as? URLError else {
            return exchange.failed(.closed, Redaction.reason(error), underlying: error)
        }
        if error.code == .cancelled { return CancellationError() }
        // The fallback matters because Foundation on Linux has no code for most server faults.
        let fallback = exchange.progress.codeOfClosure
        let code = PlatformSession.code(for: error) ?? SessionExchange.codes[error.code] ?? fallback
        return exchange.failed(code, error.localizedDescription, underlying: error)
    }

    private static let codes: [URLError.Code: TransportError.Code] = [
        .cannotFindHost: .nameNotResolved,
        .dnsLookupFailed: .nameNotResolved,
        .cannotConnectToHost: .cannotConnect,
        .notConnectedToInternet: .cannotConnect,
        .internationalRoamingOff: .cannotConnect,
        .dataNotAllowed: .cannotConnect,
        .timedOut: .timedOut(.idle),
        .secureConnectionFailed: .tlsFailed,
        .clientCertificateRejected: .tlsFailed,
        .clientCertificateRequired: .tlsFailed,
        .serverCertificateHasBadDate: .tlsUntrusted,
        .serverCertificateUntrusted: .tlsUntrusted,
        .serverCertificateHasUnknownRoot: .tlsUntrusted,
        .serverCertificateNotYetValid: .tlsUntrusted,
        .cannotParseResponse: .malformed,
        .cannotDecodeRawData: .decoding,
        .cannotDecodeContentData: .decoding,
        .dataLengthExceedsMaximum: .tooLarge,
        .unsupportedURL: .unsupported,
        .badURL: .unsupported,
        .requestBodyStreamExhausted: .sourceFailed,
        .fileDoesNotExist: .sourceFailed,
        .fileIsDirectory: .sourceFailed,
        .noPermissionsToReadFile: .sourceFailed,
    ]
}

extension Error {
    /// Whether this is Foundation's error for a canceled task.
    var isCancellation: Bool { (self as? URLError)?.code == .cancelled }
}
#endif
