import Foundation
import Requests
import RequestsClient

extension RequestBody {
    /// All bytes of the body. What can be read once cannot be read again.
    func bytes(upTo maximumBytes: Int, of request: PreparedRequest) async throws -> Data {
        var bytes = Data()
        let reader = try makeReader()
        while let piece = try await reader.piece(of: request) {
            guard bytes.count + piece.count <= maximumBytes else {
                throw TransportError.unsupported(
                    "the body of \(request) is larger than \(maximumBytes) bytes; raise the cassette's maximumBodyBytes"
                )
            }
            bytes += piece
        }
        return bytes
    }
}

extension RequestBody.Reader {
    /// Reads on, and fails as transports do.
    fileprivate func piece(of request: PreparedRequest) async throws -> Data? {
        do {
            return try await next()
        } catch let error where !(error is CancellationError) {
            throw TransportError.sourceFailed(error, of: request, phase: .preparing)
        }
    }
}
