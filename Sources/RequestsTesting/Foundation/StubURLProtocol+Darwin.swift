#if FullFoundation && canImport(Darwin)
import Foundation
import RequestsClient

extension StubURLProtocol {
    /// Passes the body to the session as it arrives.
    func deliver(_ body: ResponseBody) async throws {
        for try await chunk in body {
            try Task.checkCancellation()
            client?.urlProtocol(self, didLoad: chunk)
        }
    }
}
#endif
