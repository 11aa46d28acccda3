import RequestsTesting
import Testing

extension DownloadTests {
    private func retrying(_ limit: Int) -> Client.Configuration {
        var configuration = Client.Configuration()
        configuration.retries = .fixed(.seconds(5), limit: limit)
        configuration.clock = TestClock(isImmediate: true)
        return configuration
    }

    @Test("All requests of a download share the limit of retries")
    func limit() async throws {
        let client = client(retrying(3)) { [sent, version] _ in
            sent.count.isMultiple(of: 2) ? (200, version, ["abc", ""]) : (503, [], [])
        }
        await #expect(throws: TransportError.self) { try await download(client) }
        #expect(sent.count == 4)
    }

    @Test("A rejected status and a wrong part aren't retried if only failures are")
    func otherFaults() async throws {
        var configuration = retrying(3)
        configuration.retries = configuration.retries?.retrying { outcome, _ in
            if case .failure = outcome { true } else { false }
        }
        let missing = client(configuration) { _ in (404, [], ["gone"]) }
        await #expect(throws: ResponseError.self) { try await download(missing) }
        #expect(sent.count == 1)
        let part = client(configuration) { _ in (206, [Field(name: "Content-Range", value: "bytes 0-2/6")], ["abc"]) }
        await #expect(throws: ClientError.self) { try await download(part) }
        #expect(sent.count == 2)
    }

    @Test("A download that restarted continues with the new bytes after a break")
    func restarted() async throws {
        try await leavePart("\"v0\"")
        let client = client(retrying(1)) { [sent, version] request in
            switch sent.count {
            case 2:
                (206, [Field(name: .eTag, value: "\"v1\""), Field(name: "Content-Range", value: "bytes 1-1/6")], ["x"])
            case 3: (200, version, ["abc", ""])
            default: (206, Header(Array(version) + [Field(name: "Content-Range", value: "bytes 3-5/6")]), ["def"])
            }
        }
        try await download(client)
        #expect(try content() == "abcdef")
        #expect(sent.recorded.map { $0.header[.range] } == [nil, "bytes=1-", nil, "bytes=3-"])
    }

    /// Leaves the first byte of a version.
    private func leavePart(_ tag: String) async throws {
        let client = client { _ in (200, [Field(name: .eTag, value: tag)], ["a", ""]) }
        await #expect(throws: TransportError.self) { try await download(client) }
    }
}
