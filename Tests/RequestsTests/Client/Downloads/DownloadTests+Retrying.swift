import Foundation
import Requests
import RequestsTesting
import Testing

extension DownloadTests {
    private func retrying(_ limit: Int) -> Client.Configuration {
        var configuration = Client.Configuration()
        configuration.retries = .fixed(.seconds(5), limit: limit)
        configuration.clock = TestClock(isImmediate: true)
        return configuration
    }

    @Test("whose body breaks off is asked for again, as often as the policy says", arguments: [true, false])
    func retry(resume: Bool) async throws {
        let client = client(retrying(2)) { [sent, version] request in
            guard request.header.contains(.range) else {
                return (200, version, sent.count < 3 ? ["abc", ""] : ["abc", "def"])
            }
            let range = Field(name: "Content-Range", value: "bytes 3-5/6")
            return (206, Header(Array(version) + [range]), sent.count < 3 ? [""] : ["def"])
        }
        try await download(client, resume: resume)
        #expect(try content() == "abcdef")
        let ranges = sent.recorded.map { $0.header[.range] }
        #expect(ranges == [nil, resume ? "bytes=3-" : nil, resume ? "bytes=3-" : nil])
    }

    @Test("whose body breaks off more often fails, and keeps what it has")
    func tooOften() async throws {
        let client = client(retrying(1)) { [version] request in (200, version, ["abc", ""]) }
        let error = await #expect(throws: TransportError.self) { try await download(client) }
        #expect(error?.code == .truncated)
        #expect(sent.count == 2)
        #expect(try names == [".file.partial", ".file.partial-version"])
    }

    @Test("that cannot be repeated is not asked for again where its body breaks off")
    func unrepeatable() async throws {
        let client = client(retrying(3)) { _ in (200, [], ["abc", ""]) }
        await #expect(throws: TransportError.self) {
            try await client.download(api.post(.none, to: "/f"), to: file)
        }
        #expect(sent.count == 1)
    }
}
