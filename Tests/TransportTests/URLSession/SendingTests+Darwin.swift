#if FullFoundation && canImport(Darwin)
import Requests
import Testing

extension SendingTests {
    @Test("an upload isn't retried, because Foundation provides its body as a stream")
    func streamedUpload() async throws {
        let (status, bodies) = try await retriedUpload()
        #expect(status == 503)
        #expect(bodies.map(\.isReplayable) == [false])
    }
}
#endif
