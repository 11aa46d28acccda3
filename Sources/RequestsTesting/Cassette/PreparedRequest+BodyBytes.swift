import Requests
import RequestsClient

extension PreparedRequest {
    /// Reads the whole body into memory. A body that can't be replayed is used up by this.
    func bodyBytes(upTo maximumBytes: Int) async throws -> Data {
        do {
            return try await body.collect(upTo: maximumBytes)
        } catch let error as RequestError where error.code == .bodyAlreadyRead {
            throw error
        } catch let error as RequestError where error.code == .bodyTooLarge {
            throw TransportError.unsupported(
                "the body of \(self) exceeds \(maximumBytes) bytes; raise the cassette's maximumBodyBytes"
            )
        } catch let error where !(error is CancellationError) {
            throw TransportError.sourceFailed(error, of: self, phase: .preparing)
        }
    }
}
