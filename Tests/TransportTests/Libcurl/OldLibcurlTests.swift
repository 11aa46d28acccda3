import Testing

@testable import RequestsCurl

/// `scripts/libcurls` runs this with libcurl 7.61.
@Suite(
    "Unsupported versions of libcurl",
    .enabled(if: LinkedLibcurl.version < LinkedLibcurl.oldest, "this libcurl is new enough"),
    .timeLimit(.minutes(5))
)
struct OldLibcurlTests {
    @Test("The error for an old libcurl has its version and the oldest supported one")
    func rejected() {
        let error = #expect(throws: TransportError.self) { try CurlTransport() }
        #expect(error?.code == .unsupported)
        #expect(
            error?.message
                == "libcurl \(LinkedLibcurl.shownVersion) is too old; install version 7.81 or later"
        )
    }

    @Test("With an old libcurl, the shared transport has no capabilities and rejects requests")
    func shared() async throws {
        #expect(CurlTransport.shared.capabilities == [])
        let request = try PreparedRequest(url: RequestURL("http://127.0.0.1:9/"))
        let error = await #expect(throws: TransportError.self) { try await CurlTransport.shared.send(request) }
        #expect(error?.code == .unsupported)
    }
}
