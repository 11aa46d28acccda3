import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOHTTPCompression
import NIOPosix
import NIOSSL
import Requests

/// The same fault has the same code on every transport.
extension TransportError {
    static func beforeHead(_ error: any Error, _ request: PreparedRequest) -> any Error {
        described(error, request, in: .sending, isClosed: .closed)
    }

    static func insideBody(_ error: any Error, _ request: PreparedRequest) -> any Error {
        described(error, request, in: .receiving, isClosed: .truncated)
    }

    private static func described(
        _ error: any Error,
        _ request: PreparedRequest,
        in phase: Phase,
        isClosed closed: Code
    ) -> any Error {
        func failure(_ code: Code, _ phase: Phase, _ reason: String? = nil) -> TransportError {
            let message = "\(request) failed: \(reason ?? "\(error)")"
            return TransportError(code: code, message: message, phase: phase, underlying: error)
        }
        switch error {
        case is TransportError, is RequestError, is CancellationError: return error
        case let error as LimitReached: return failure(.timedOut(error.limit), phase)
        case let error as HTTPClientError where error == .cancelled: return CancellationError()
        case let error as HTTPClientError where error == .alreadyShutdown: return failure(.shutDown, phase)
        case let error as HTTPClientError where [.connectTimeout, .tlsHandshakeTimeout].contains(error):
            return failure(.timedOut(.connect), .connecting)
        case let error as IOError where [ECONNREFUSED, EHOSTUNREACH, ENETUNREACH].contains(error.errnoCode):
            return failure(.cannotConnect, .connecting)
        case let error as NIOConnectionError:
            let isUnresolved = error.connectionErrors.isEmpty && (error.dnsAError ?? error.dnsAAAAError) != nil
            return failure(isUnresolved ? .nameNotResolved : .cannotConnect, .connecting)
        case NIOSSLError.handshakeFailed(let cause):
            guard "\(cause)".contains("CERTIFICATE_VERIFY_FAILED") else { return failure(.tlsFailed, .connecting) }
            return failure(.tlsUntrusted, .connecting, "the server's certificate is not trusted")
        case is NIOSSLExtraError: return failure(.tlsUntrusted, .connecting)
        case HTTPParserError.headerOverflow: return failure(.tooLarge, .receiving)
        case HTTPParserError.invalidEOFState: return failure(.truncated, .receiving)
        case NIOHTTPDecompression.DecompressionError.limit: return failure(.tooLarge, .receiving)
        case is NIOHTTPDecompression.DecompressionError, is NIOHTTPDecompression.ExtraDecompressionError:
            return failure(.decoding, .receiving)
        case is HTTPParserError: return failure(.malformed, .receiving)
        default: return failure(closed, phase)
        }
    }

    static let headTooLarge = TransportError(
        code: .tooLarge,
        message: "the head of the response is larger than 300 KiB",
        phase: .receiving
    )

    static func unsupported(_ what: String) -> TransportError {
        TransportError(code: .unsupported, message: what, phase: .preparing)
    }

    static func sourceFailed(_ error: any Error) -> TransportError {
        TransportError(
            code: .sourceFailed,
            message: "the source of the request's body failed: \(error)",
            phase: .sending,
            underlying: error
        )
    }
}
