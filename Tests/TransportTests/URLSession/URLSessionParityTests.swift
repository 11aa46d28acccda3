#if FullFoundation
import Foundation
import Requests
import RequestsClient
import RequestsTesting
import RequestsURLSession
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("Parity of URLSession", .timeLimit(.minutes(5)))
struct URLSessionParityTests {
    private let server: LoopbackServer
    private let api: BaseURL

    init() throws {
        server = try LoopbackServer.http { request in .init(200, .plainText, request.header[.userAgent] ?? "") }
        api = BaseURL(baseURL: server.baseURL)
    }

    @Test("URLSession.perform decodes a response")
    func perform() async throws {
        let request = api.get(.text, from: "/")
        let result = await withCheckedContinuation { continuation in
            URLSession.shared.perform(request, decodingQueue: .global(), callbackQueue: .global()) {
                continuation.resume(returning: $0)
            }
        }
        let (response, text) = try result.get()
        #expect(response.statusCode == 200)
        #expect(!text.isEmpty)
    }

    @Test("The user agent of the configuration is sent, and one that isn't a field value is rejected")
    func userAgent() async throws {
        var configuration = URLSessionTransport.Configuration()
        configuration.userAgent = "b/2"
        let client = Client(transport: try URLSessionTransport(configuration: configuration))
        #expect(try await client.send(api.get(.text, from: "/")) == "b/2")
        configuration.userAgent = "a\nb"
        #expect(throws: TransportError.self) { try URLSessionTransport(configuration: configuration) }
    }
}
#endif
