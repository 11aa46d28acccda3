import Foundation
import Requests
import RequestsTesting
import Testing

/// What comes in a content coding, although none was asked for.
extension DownloadTests {
    private static let gzip = Field(name: .contentEncoding, value: "gzip")

    /// Codes whatever it sends to one who asks for no coding, as caches and stores of coded objects do.
    private func codingClient(_ whole: [String] = ["decoded"]) -> Client {
        client { [version] request in
            request.header[.acceptEncoding] == "identity"
                ? (200, Header(Array(version) + [DownloadTests.gzip]), ["coded"]) : (200, version, whole)
        }
    }

    @Test("is the same file with `resume` as without, where the server codes it whatever it is asked for")
    func coded() async throws {
        try await download(codingClient())
        #expect(try content() == "decoded")
        #expect(try names == ["file"])
        #expect(sent.recorded.map { $0.header[.acceptEncoding] } == ["identity", nil])
        #expect(progress.recorded.allSatisfy { $0.hasPrefix("0/") || $0.hasPrefix("7/") })
    }

    @Test("is asked for once more and no oftener, with what the request itself accepts")
    func codedTwice() async throws {
        let client = client { [sent] _ in (200, [DownloadTests.gzip], ["coded \(sent.count)"]) }
        let request = api.get(.none, from: "/f").with(header: [.acceptEncoding("gzip")])
        try await client.download(request, to: file, resume: true)
        #expect(try content() == "coded 2")
        #expect(sent.recorded.map { $0.header[.acceptEncoding] } == ["identity", "gzip"])
    }

    @Test("that came coded leaves no part behind, and uses none that is there")
    func codedPart() async throws {
        let first = client { [version] _ in (200, version, ["abc", ""]) }
        await #expect(throws: TransportError.self) { try await download(first) }
        #expect(try names == [".file.partial", ".file.partial-version"])
        await #expect(throws: TransportError.self) { try await download(codingClient(["dec", ""])) }
        #expect(try names == [])
        #expect(sent.recorded.map { $0.header.contains(.range) } == [false, true, false])
    }

    @Test("is taken as it comes where the coding is none, or the status is an error", arguments: [200, 404])
    func notCoded(status: Int) async throws {
        let coding = status == 200 ? Field(name: .contentEncoding, value: "Identity") : DownloadTests.gzip
        let client = client { _ in (status, [coding], ["abc"]) }
        let response = try? await download(client)
        #expect(response?.head.statusCode == (status == 200 ? 200 : nil))
        #expect(sent.count == 1)
    }

    @Test("is an error where the request must not be made twice", arguments: [true, false])
    func unrepeatable(isPost: Bool) async throws {
        let request = api.get(.none, from: "/f").using(method: isPost ? .post : .put)
            .sending(isPost ? .text("query") : .raw(stream: InputStream(data: Data("query".utf8))))
        let error = await #expect(throws: ClientError.self) {
            try await codingClient().download(request, to: file, resume: true)
        }
        #expect(error?.code == .downloadFailed)
        #expect(error?.message.hasSuffix("came in a coding that was not asked for; download it without resume") == true)
        #expect(sent.count == 1)
        #expect(try names == [])
    }
}
