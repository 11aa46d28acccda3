#if FullFoundation && !canImport(Darwin)
import Foundation
import FoundationNetworking
import Requests
import RequestsClient
import RequestsTesting
import RequestsURLSession
import Testing

@Suite("Options that URLSession on Linux ignores", .timeLimit(.minutes(5)))
struct URLSessionOptionsTests {
    @Test("URLSessionTransport on Linux rejects options that URLSession ignores", arguments: [true, false])
    func refused(isServiceType: Bool) async throws {
        let server = try LoopbackServer.http { _ in .init(200, .plainText, "hello") }
        var request = try PreparedRequest(url: RequestURL(server.baseURL.absoluteString))
        if isServiceType {
            request.options.networkServiceType = .background
        } else {
            request.options.allowsCellularAccess = false
        }
        let transport = URLSessionTransport()
        let error = await #expect(throws: TransportError.self) { try await transport.send(request) }
        #expect(error?.code == .unsupported)
        #expect(server.acceptedConnections == 0)
    }
}
#endif
