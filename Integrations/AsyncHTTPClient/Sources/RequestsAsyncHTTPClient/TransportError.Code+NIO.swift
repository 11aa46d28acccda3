import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOHTTPCompression
import NIOPosix
import NIOSSL
import Requests

extension TransportError.Code {
    /// Creates the code that all transports use for an error. `nil` means that the connection was closed.
    init?(_ error: any Error) {
        switch error {
        case let error as HTTPClientError where [.connectTimeout, .tlsHandshakeTimeout].contains(error):
            self = .timedOut(.connect)
        case let error as IOError where [ECONNREFUSED, EHOSTUNREACH, ENETUNREACH].contains(error.errnoCode):
            self = .cannotConnect
        case let error as NIOConnectionError:
            let isUnresolved = error.connectionErrors.isEmpty && (error.dnsAError ?? error.dnsAAAAError) != nil
            self = isUnresolved ? .nameNotResolved : .cannotConnect
        case NIOSSLError.handshakeFailed(let cause):
            self = "\(cause)".contains("CERTIFICATE_VERIFY_FAILED") ? .tlsUntrusted : .tlsFailed
        case is NIOSSLExtraError: self = .tlsUntrusted
        case HTTPParserError.headerOverflow, NIOHTTPDecompression.DecompressionError.limit: self = .tooLarge
        case HTTPParserError.invalidEOFState: self = .truncated
        case is HTTPParserError: self = .malformed
        case is NIOHTTPDecompression.DecompressionError, is NIOHTTPDecompression.ExtraDecompressionError:
            self = .decoding
        default: return nil
        }
    }
}
