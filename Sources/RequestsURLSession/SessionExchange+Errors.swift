import Foundation
import Requests

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension SessionExchange {
    func failed(_ code: TransportError.Code, _ reason: String, underlying: (any Error)? = nil) -> TransportError {
        let phase = SessionExchange.phases[code] ?? .sending
        return TransportError(code, of: request, reason, phase: phase, underlying: underlying)
    }

    func failure(for error: any Error, hasHead: Bool) -> any Error {
        guard let error = error as? URLError else { return failed(.closed, Redaction.reason(error), underlying: error) }
        if error.code == .cancelled { return CancellationError() }
        // Foundation on Linux reports most faults of the peer as unknown ones: what matters is when they came.
        let fallback: TransportError.Code = hasHead ? .truncated : .closed
        let code = PlatformSession.code(for: error) ?? SessionExchange.codes[error.code] ?? fallback
        return failed(code, error.localizedDescription, underlying: error)
    }

    private static let phases: [TransportError.Code: TransportError.Phase] = [
        .nameNotResolved: .connecting, .cannotConnect: .connecting, .tlsUntrusted: .connecting, .tlsFailed: .connecting,
        .pinMismatch: .connecting,
        .truncated: .receiving, .tooLarge: .receiving, .decoding: .receiving, .malformed: .receiving,
    ]

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
