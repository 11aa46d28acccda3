import Foundation
import Requests
import RequestsClient
import RequestsTesting
import Testing

extension DownloadTests {
    private func retrying(_ limit: Int) -> Client.Configuration {
        var configuration = Client.Configuration()
        configuration.retries = .fixed(.seconds(5), limit: limit)
        configuration.clock = TestClock(isImmediate: true)
        return configuration
    }

    @Test("A body that breaks off is requested again, as often as the policy allows", arguments: [true, false])
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

    @Test("A body that breaks off too often throws, and the partial file is kept")
    func tooOften() async throws {
        let client = client(retrying(1)) { [version] request in (200, version, ["abc", ""]) }
        let error = await #expect(throws: TransportError.self) { try await download(client) }
        #expect(error?.code == .truncated)
        #expect(sent.count == 2)
        #expect(try names == [".file.partial", ".file.partial-version"])
    }

    @Test("All requests of a download share the limit of retries")
    func limit() async throws {
        let client = client(retrying(3)) { [sent, version] _ in
            sent.count.isMultiple(of: 2) ? (200, version, ["abc", ""]) : (503, [], [])
        }
        await #expect(throws: TransportError.self) { try await download(client) }
        #expect(sent.count == 4)
    }

    @Test("An error after a body that broke off says that the request may have been processed")
    func mayHaveActed() async throws {
        let broken: StubTransport.Reply = .reply(200, chunks: [Data("abc".utf8)], failure: .truncated)
        let transport = StubTransport(script: [broken, .failure(.cannotConnect)])
        let client = Client(transport: transport, configuration: retrying(1))
        let request = api.post(.none, to: "/f").adding(headerField: .idempotencyKey("7"))
        let error = await #expect(throws: TransportError.self) { try await client.download(request, to: file) }
        #expect(error?.code == .cannotConnect)
        #expect(error?.requestMayHaveBeenProcessed == true)
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

    @Test("A body that breaks off isn't requested again if the request isn't repeatable")
    func unrepeatable() async throws {
        let client = client(retrying(3)) { _ in (200, [], ["abc", ""]) }
        await #expect(throws: TransportError.self) {
            try await client.download(api.post(.none, to: "/f"), to: file)
        }
        #expect(sent.count == 1)
    }

    @Test("A server that sends one byte for each range gets a limited number of requests")
    func manyParts() async throws {
        let client = client(retrying(2)) { [sent, version] request in
            // Ends by itself, so that a missing limit fails the test instead of hanging it.
            guard sent.count < 30 else { return (500, [], []) }
            guard let range = request.header[.range], let start = Int(range.dropFirst(6).dropLast()) else {
                return (200, version, ["a", ""])
            }
            let field = Field(name: "Content-Range", value: "bytes \(start)-\(start)/1000")
            return (206, Header(Array(version) + [field]), ["a"])
        }
        _ = try? await download(client)
        #expect(sent.count <= 10)
    }

    @Test("A download with POST and without an idempotency key isn't sent twice")
    func unsafeMethod() async throws {
        let client = client(retrying(2)) { [sent, version] _ in
            sent.count == 1
                ? (200, version, ["abc", ""])
                : (206, ["ETag": "\"v2\"", "Content-Range": "bytes 3-5/6"], ["def"])
        }
        let request = api.post(.none, to: "/f")
        _ = try? await client.download(request, to: file, resume: true)
        let before = sent.count
        _ = try? await client.download(request, to: file, resume: true)
        #expect(sent.count - before == 1)
    }
}
