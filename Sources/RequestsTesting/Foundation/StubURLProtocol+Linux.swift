#if FullFoundation && !canImport(Darwin)
import Foundation
import FoundationNetworking
import RequestsClient

extension StubURLProtocol {
    /// Passes the body to the session at once, because a completion handler gets only the last piece.
    ///
    /// It can go when `URLProtocolClient.urlProtocol(_:didLoad:)` of swift-corelibs-foundation collects the pieces.
    func deliver(_ body: ResponseBody) async throws {
        let data = try await body.collect(upTo: .max)
        try Task.checkCancellation()
        if !data.isEmpty { client?.urlProtocol(self, didLoad: data) }
    }
}
#endif
