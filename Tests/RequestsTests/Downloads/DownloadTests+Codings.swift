import RequestsConformance
import RequestsTesting
import Testing

/// Downloads of bodies with a content encoding that wasn't requested.
extension DownloadTests {
    private static let gzip = Field(name: .contentEncoding, value: "gzip")

    /// Encodes every response, like caches and stores of encoded objects.
    private func codingClient(_ whole: [String] = ["decoded"]) -> Client {
        client { [version] request in
            request.header[.acceptEncoding] == "identity"
                ? (200, Header(Array(version) + [DownloadTests.gzip]), ["coded"]) : (200, version, whole)
        }
    }

    @Test("With `resume`, an encoded body becomes the same file as without")
    func coded() async throws {
        try await download(codingClient())
        #expect(try content() == "decoded")
        #expect(try names == ["file"])
        #expect(sent.recorded.map { $0.header[.acceptEncoding] } == ["identity", nil])
        #expect(progress.recorded.allSatisfy { $0.hasPrefix("0/") || $0.hasPrefix("7/") })
    }

    @Test("An encoded body causes one more request, with the original Accept-Encoding")
    func codedTwice() async throws {
        let client = client { [sent] _ in (200, [DownloadTests.gzip], ["coded \(sent.count)"]) }
        let request = api.get(.none, from: "/f").with(header: [.acceptEncoding("gzip")])
        try await client.download(request, to: file, resume: true)
        #expect(try content() == "coded 2")
        #expect(sent.recorded.map { $0.header[.acceptEncoding] } == ["identity", "gzip"])
    }

    @Test("An encoded body leaves no partial file, and continues none")
    func codedPart() async throws {
        let first = client { [version] _ in (200, version, ["abc", ""]) }
        await #expect(throws: TransportError.self) { try await download(first) }
        #expect(try names == [".file.partial", ".file.partial-version"])
        await #expect(throws: TransportError.self) { try await download(codingClient(["dec", ""])) }
        #expect(try names == [])
        #expect(sent.recorded.map { $0.header.contains(.range) } == [false, true, false])
    }

    @Test("An identity encoding or an error status causes no other request", arguments: [200, 404])
    func notCoded(status: Int) async throws {
        let coding = status == 200 ? Field(name: .contentEncoding, value: "Identity") : DownloadTests.gzip
        let client = client { _ in (status, [coding], ["abc"]) }
        let response = try? await download(client)
        #expect(response?.head.statusCode == (status == 200 ? 200 : nil))
        #expect(sent.count == 1)
    }

    @Test("An encoded body throws if the request must not be repeated", arguments: [true, false])
    func unrepeatable(isPost: Bool) async throws {
        let request = api.get(.none, from: "/f").using(method: isPost ? .post : .put)
            .sending(isPost ? .text("query") : BodyProvider { _ in .oneShot(Data("query".utf8)) })
        let error = await #expect(throws: ClientError.self) {
            try await codingClient().download(request, to: file, resume: true)
        }
        #expect(error?.code == .downloadFailed)
        let reason = "has a content encoding that wasn't requested. Download it without resume."
        #expect(error?.message.hasSuffix(reason) == true)
        #expect(sent.count == 1)
        #expect(try names == [])
    }
}
