import Requests
import RequestsClient

extension RequestBody {
    /// Reads the whole body into memory. A body that can't be replayed is used up by this.
    func bytes(upTo maximumBytes: Int, of request: PreparedRequest) async throws -> Data {
        var bytes = Data()
        let reader = try makeReader()
        while let chunk = try await reader.nextChunk(of: request) {
            guard bytes.count + chunk.count <= maximumBytes else {
                throw TransportError.unsupported(
                    "the body of \(request) exceeds \(maximumBytes) bytes; raise the cassette's maximumBodyBytes"
                )
            }
            bytes += chunk
        }
        return bytes
    }
}

extension RequestBody.Reader {
    /// Reads the next chunk. Errors of the source are converted as a transport does.
    fileprivate func nextChunk(of request: PreparedRequest) async throws -> Data? {
        do {
            return try await next()
        } catch let error where !(error is CancellationError) {
            throw TransportError.sourceFailed(error, of: request, phase: .preparing)
        }
    }
}
