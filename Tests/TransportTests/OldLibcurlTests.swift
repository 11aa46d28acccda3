import Requests
import Testing

@testable import RequestsCurl

/// `scripts/libcurls` runs this with libcurl 7.61.
@Suite(
    "A libcurl that is too old",
    .enabled(if: LinkedLibcurl.version < LinkedLibcurl.oldest, "this libcurl is new enough"),
    .timeLimit(.minutes(5))
)
struct OldLibcurlTests {
    @Test("is rejected with its version and the oldest supported one")
    func rejected() {
        let error = #expect(throws: TransportError.self) { try CurlTransport() }
        #expect(error?.code == .unsupported)
        #expect(
            error?.message
                == "libcurl \(LinkedLibcurl.version) is too old; install version \(LinkedLibcurl.oldest) or later"
        )
    }

    @Test("leaves the shared transport without capabilities, and each request with the same error")
    func shared() async throws {
        #expect(CurlTransport.shared.capabilities == [])
        let request = try PreparedRequest(url: RequestURL("http://127.0.0.1:9/"))
        let error = await #expect(throws: TransportError.self) { try await CurlTransport.shared.send(request) }
        #expect(error?.code == .unsupported)
    }
}
