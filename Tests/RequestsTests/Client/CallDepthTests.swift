#if os(Linux)
import Foundation
import Requests
import RequestsClient
import Runtime
import Testing

@Suite("The functions of a call", .timeLimit(.minutes(5)))
struct CallDepthTests {
    /// A transport that records which functions of the client wait for it.
    private struct Probe: Transport, EndsWithCall {
        let capabilities: TransportCapabilities = []
        let waiting = Recorder<[String]>()

        func send(_ request: PreparedRequest, context: SendContext) async throws -> Response<ResponseBody> {
            // Before its first suspension, a function runs on the stack of its callers, which isn't unwound.
            await Task.yield()
            let frames = try Backtrace.capture(limit: 100).symbolicated()?.frames ?? []
            // Thunks convert between calling conventions. The compiler decides how many there are.
            let functions = frames.compactMap(\.symbol).filter { !$0.isSwiftThunk && $0.rawName.hasPrefix(module) }
            waiting.record(functions.map(\.name))
            throw CancellationError()
        }

        private let module = "$s14RequestsClient"
    }

    @Test("At most 6 functions are between `send` and the transport", arguments: [true, false])
    func depth(isPrepared: Bool) async throws {
        let probe = Probe()
        let client = Client(transport: probe)
        let request = AnonymousRequestProvider("https://h.example").get(.none, from: "/")
        await #expect(throws: CancellationError.self) {
            if isPrepared { _ = try await client.send(request.prepared()) } else { try await client.send(request) }
        }
        let functions = try #require(probe.waiting.recorded.first)
        try #require(functions.last?.contains("send") == true, "\(functions)")
        #expect(functions.dropLast().count <= 6, "\(functions)")
    }
}
#endif
