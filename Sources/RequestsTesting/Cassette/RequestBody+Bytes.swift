import Requests
import RequestsClient

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension RequestBody {
    /// Reads the body. A single-use stream can't be read again.
    func bytes(upTo maximumBytes: Int, of request: PreparedRequest) async throws -> Data {
        var bytes = Data()
        let reader = try makeReader()
        while let chunk = try await reader.nextChunk(of: request) {
            guard bytes.count + chunk.count <= maximumBytes else {
                throw TransportError.unsupported(
                    "the body of \(request) is larger than \(maximumBytes) bytes; raise the cassette's maximumBodyBytes"
                )
            }
            bytes += chunk
        }
        return bytes
    }
}

extension RequestBody.Reader {
    /// Reads the next chunk, with the same errors as a transport.
    fileprivate func nextChunk(of request: PreparedRequest) async throws -> Data? {
        do {
            return try await next()
        } catch let error where !(error is CancellationError) {
            throw TransportError.sourceFailed(error, of: request, phase: .preparing)
        }
    }
}
