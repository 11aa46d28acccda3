import Foundation
import RequestsConformance
import RequestsTestSupport
import RequestsTesting
import Testing

@Suite("The requests of a download", .timeLimit(.minutes(5)))
final class CallDownloadsTests: DownloadSuite, Sendable {
    typealias Reply = ScriptedTransport.Reply

    private let api = BaseURL("https://a.example")
    let directory: URL

    init() throws {
        directory = try Self.makeDirectory()
    }

    deinit { removeDirectory() }

    private static let tag = Field(name: .eTag, value: "\"1\"")
    private static func range(_ value: String) -> Field { Field(name: "Content-Range", value: value) }

    /// A part of the version that an earlier download left.
    private static func part(_ range: String, _ text: String) -> Reply {
        .status(206, [tag, Self.range("bytes \(range)")], text)
    }

    private func client(
        _ transport: ScriptedTransport,
        _ configure: (inout Client.Configuration) -> Void = { _ in }
    ) -> Client {
        transport.client {
            $0.retries = .fixed(.seconds(1), limit: 2)
            $0.validation = .status([200])
            configure(&$0)
        }
    }

    /// Leaves the first three bytes of a file.
    private func leavePart() async {
        let transport = ScriptedTransport([.broken(200, [Self.tag], "abc")])
        let error = await failure {
            _ = try await transport.client().download(api.get(.none, from: "/f"), to: file, resume: true)
        }
        #expect(errorCode(error) == "truncated")
    }

    /// - Returns: The statuses before the last response.
    @discardableResult
    private func download(
        _ client: Client,
        _ method: HTTPMethod = .get,
        body: RequestBody = .none,
        resume: Bool = true
    ) async throws -> [Int] {
        let request = try PreparedRequest(method: method, url: RequestURL("https://a.example/f"), body: body)
        return try await client.download(request, to: file, resume: resume).history.map(\.statusCode)
    }

    @Test("A download continues part by part, and small parts count as retries")
    func parts() async {
        await leavePart()
        let transport = ScriptedTransport((3...8).map { Self.part("\($0)-\($0)/99", "x") })
        let error = await failure { _ = try await download(client(transport)) }
        #expect(errorCode(error) == "truncated")
        #expect((error as? TransportError)?.requestMayHaveBeenProcessed == true)
        #expect(transport.values(of: .range) == ["bytes=3-", "bytes=4-", "bytes=5-", "bytes=6-"])
        #expect(Set(transport.values(of: .ifRange)) == ["\"1\""])
        #expect(transport.sent.map(\.attempt) == [1, 1, 2, 3])
        #expect(transport.clock.waits == [.seconds(1), .seconds(1)])
    }

    @Test("A download that breaks continues with the bytes that arrived")
    func broken() async throws {
        await leavePart()
        let transport = ScriptedTransport([
            .broken(206, [Self.tag, Self.range("bytes 3-8/9")], "de"), Self.part("5-8/9", "fghi"),
        ])
        #expect(try await download(client(transport)) == [])
        #expect(transport.values(of: .range) == ["bytes=3-", "bytes=5-"])
        #expect(transport.clock.waits == [.seconds(1)])
        #expect(try content() == "abcdefghi")
    }

    @Test(
        "A file that can't be written isn't retried, whatever the policy's condition",
        arguments: ["before the body", "in the body", "after the body"],
        [true, false]
    )
    func unwritable(place: String, resume: Bool) async throws {
        let directory = directory
        let remove: @Sendable () -> Void = { try? FileManager.default.removeItem(at: directory) }
        // Another process that shortens the file is noticed at its end.
        let shorten: @Sendable () -> Void = {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
            for name in names where name.hasSuffix(".partial") {
                try? FileHandle(forWritingTo: directory.appendingPathComponent(name)).truncate(atOffset: 0)
            }
        }
        let chunks = Locked<[Data?]>([Data("abc".utf8), Data("def".utf8)])
        let first = Reply { request in
            if place == "before the body" { remove() }
            let body = AsyncStream<Data> {
                let chunk = chunks.withLock { $0.isEmpty ? nil : $0.removeFirst() }
                if chunk == nil, place == "in the body" { shorten() }
                if chunk == nil, place == "after the body" { remove() }
                return chunk
            }
            return try Response(status: 200, header: [Self.tag], content: ResponseBody(body), for: request)
        }
        let transport = ScriptedTransport([first, .status(200, [Self.tag], "whole"), .status(200)])
        let client = client(transport) {
            $0.retries = .fixed(.seconds(1), limit: 2).retrying { outcome, _ in
                if case .failure = outcome { true } else { false }
            }
        }
        let error = await failure { _ = try await download(client, resume: resume) }
        #expect(errorCode(error) == "downloadFailed")
        #expect(transport.sent.count == 1)
        #expect(transport.clock.waits == [])
    }

    @Test("Another version isn't added to the file, and the whole file is requested")
    func otherVersion() async throws {
        await leavePart()
        let other: Header = [Self.range("bytes 3-8/9"), Field(name: .eTag, value: "\"2\"")]
        let transport = ScriptedTransport([.status(206, other, "xxxxxx"), .status(200, [], "new")])
        #expect(try await download(client(transport)) == [])
        #expect(transport.values(of: .range) == ["bytes=3-", nil])
        #expect(transport.values(of: .ifRange) == ["\"1\"", nil])
        #expect(transport.clock.waits == [])
        #expect(try content() == "new")
    }

    @Test(
        "A part that wasn't asked for isn't added to the file, and validation decides about its error",
        arguments: [([200], "206"), ([200, 206], "downloadFailed")]
    )
    func unrequestedPart(accepted: [Int], code: String) async throws {
        await leavePart()
        let other: Header = [Self.range("bytes 3-8/9"), Field(name: .eTag, value: "\"2\"")]
        let transport = ScriptedTransport([.status(206, other, "xxxxxx"), Self.part("3-8/9", "defghi"), .status(200)])
        let client = client(transport) { $0.validation = .status(accepted) }
        let error = await failure { _ = try await download(client) }
        #expect(errorCode(error) == code)
        if code == "206" { #expect((error as? ResponseError)?.data == Data("defghi".utf8)) }
        #expect(transport.values(of: .range) == ["bytes=3-", nil])
        #expect(!FileManager.default.fileExists(atPath: file.path))
    }

    @Test("A first response that is a part fails")
    func partOfNothing() async {
        let transport = ScriptedTransport([.redirect(to: "/b"), Self.part("3-8/9", "defghi"), .status(200)])
        let client = client(transport) { $0.validation = .success }
        let error = await failure { _ = try await download(client) }
        #expect(errorCode(error) == "downloadFailed")
        #expect((error as? ClientError)?.history.map(\.statusCode) == [302, 206])
        let reason = "of https://a.example/b is a part, but the whole file was requested."
        #expect((error as? ClientError)?.message.hasSuffix(reason) == true)
        #expect(transport.sent.count == 2)
    }

    /// A body that the transport decoded.
    private final class DecodedSource: ResponseBodySource {
        private let chunk: Locked<Data?>

        init(_ text: String) {
            chunk = Locked(Data(text.utf8))
        }

        func next() -> Data? { chunk.withLock { $0.take() } }
        func collect(upTo maximumBytes: Int) async throws -> Data { try await collectChunks(upTo: maximumBytes) }
        func cancel() {}
        var trailers: Header? { nil }
        var isRead: Bool { false }
        var isDecoded: Bool { true }
    }

    @Test("A part that the transport decoded isn't added to the file", arguments: [true, false])
    func decodedPart(hasFlow: Bool) async throws {
        await leavePart()
        let body = ResponseBody(source: DecodedSource("defghi"))
        let transport = ScriptedTransport([
            .body(206, [Self.tag, Self.range("bytes 3-8/9")], body), .status(200, [], "new"),
        ])
        let client = client(transport) {
            if hasFlow { $0.authenticate("https://a.example", with: .answering([401])) }
        }
        try await download(client)
        #expect(transport.values(of: .range) == ["bytes=3-", nil])
        #expect(transport.values(of: .authorization) == (hasFlow ? ["1", "1"] : [nil, nil]))
        #expect(try content() == "new")
    }

    @Test("A part with fewer bytes than it announced fails without another request")
    func shortPart() async {
        await leavePart()
        let transport = ScriptedTransport([.redirect(to: "/b"), Self.part("3-8/9", "defg"), .status(200)])
        let error = await failure { _ = try await download(client(transport)) }
        #expect(errorCode(error) == "downloadFailed")
        #expect((error as? ClientError)?.history.map(\.statusCode) == [302])
        #expect(transport.sent.count == 2)
        #expect(transport.clock.waits == [])
    }

    @Test(
        "A request that isn't repeatable, or whose body is gone, gets neither another version nor another part",
        arguments: [HTTPMethod.post, .put],
        ["part", "version"]
    )
    func unrepeatable(method: HTTPMethod, kind: String) async {
        await leavePart()
        let other: Header = [Self.range("bytes 3-8/9"), Field(name: .eTag, value: "\"2\"")]
        let reply: Reply = kind == "part" ? Self.part("3-3/9", "d") : .status(206, other, "xxxxxx")
        let transport = ScriptedTransport([reply, .status(200, [], "new")])
        let body = method == .post ? RequestBody.none : .oneShot(Data("x".utf8))
        let error = await failure { try await download(client(transport), method, body: body) }
        #expect(errorCode(error) == "downloadFailed")
        #expect(transport.values(of: .range) == ["bytes=3-"])
        #expect(transport.clock.waits == [])
    }

    @Test("The next part isn't requested after the deadline, which is the error", arguments: [70_000, 1])
    func latePart(bytes: Int) async throws {
        await leavePart()
        let clock = ScriptedClock()
        let replies = [0, 5].enumerated().map { index, seconds in
            Reply { request in
                clock.advance(by: .seconds(seconds))
                let start = 3 + index * bytes
                let range = Self.range("bytes \(start)-\(start + bytes - 1)/999999")
                let body = String(repeating: "x", count: bytes)
                return try .stub(206, header: [Self.tag, range], body: Data(body.utf8), for: request)
            }
        }
        let retried: [Reply] = [.status(503), .status(200)]
        let transport = ScriptedTransport(replies + retried, on: clock)
        // Only one retry, which the late part doesn't take.
        let budget = RetryBudget(share: 0, reserve: 1)
        let client = client(transport) {
            $0.timeouts.total = .seconds(5)
            $0.retryBudget = budget
        }
        let error = await failure { _ = try await download(client) }
        #expect(errorCode(error) == "timedOut(total)")
        #expect((error as? TransportError)?.requestMayHaveBeenProcessed == true)
        #expect(transport.values(of: .range) == ["bytes=3-", "bytes=\(3 + bytes)-"])
        #expect(clock.waits == [])
        #expect(await failure { try await client.send(api.get(.none, from: "/")) } == nil)
        #expect(transport.sent.count == 4)
    }

    @Test("A file that isn't resumed is complete with one response, and asks for no part of it")
    func single() async throws {
        let transport = ScriptedTransport([.broken(200, [Self.tag], "ab"), .status(200, [Self.tag], "abcde")])
        #expect(try await download(client(transport), resume: false) == [])
        let names: [Field.Name] = [.range, .ifRange, .acceptEncoding]
        for sent in transport.sent { #expect(names.filter { sent.request.header.contains($0) } == []) }
        #expect(transport.sent.count == 2)
        #expect(try content() == "abcde")
    }

    @Test("Only downloads that resume ask for the rest of a file", arguments: ["stream", "send", "download", "resume"])
    func onlyDownloads(kind: String) async throws {
        await leavePart()
        let transport = ScriptedTransport([Self.part("3-4/5", "de")])
        let client = client(transport) { $0.validation = .none }
        let request = api.get(.none, from: "/f")
        switch kind {
        case "stream": _ = try await client.stream(request)
        case "send": try await client.send(request)
        case "download": _ = await failure { _ = try await client.download(request, to: file) }
        default: _ = try await client.download(request, to: file, resume: true)
        }
        let isContinued = kind == "resume"
        #expect(transport.values(of: .range) == [isContinued ? "bytes=3-" : nil])
        #expect(transport.values(of: .ifRange) == [isContinued ? "\"1\"" : nil])
        #expect(transport.values(of: .acceptEncoding) == [isContinued ? "identity" : nil])
        if isContinued { #expect(try content() == "abcde") }
    }
}
