import RequestsTesting
import Testing

@testable import RequestsUploads

/// Uploads with a state, each test in another folder.
@Suite("Uploads that survive the program", .timeLimit(.minutes(5)))
final class UploadStateTests: UploadSuite {
    private let folder: URL
    private var state: URL { folder.appending(path: "upload") }

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "upload-state-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private var names: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path) } }

    private var content: String { get throws { try String(contentsOf: state, encoding: .utf8) } }

    private func created(_ more: Field...) -> [StubTransport.Reply] {
        [
            .reply(204, header: [Self.limit("min-size=0")]),
            .reply(201, header: Header([Self.resource, Self.incomplete] + more)),
        ]
    }

    /// Leaves the state of an upload that failed.
    private func leaveState(of request: some PreparableRequest) async throws {
        let stub = StubTransport(script: created() + [.failure(.closed)])
        let error = await client(stub, retries: .never).uploadError(request, state: state)
        #expect((error as? TransportError)?.code == .closed)
        #expect(try names == ["upload"])
    }

    @Test("The upload is reserved before its first byte, and continues with a later call")
    func continued() async throws {
        let request = request.setting(headerField: Field(name: "X-Api-Key", value: "k3y"))
        try await leaveState(of: request)
        #expect(try content.contains("https://a.example/uploads/s3cret"))
        #expect(try !content.contains("k3y"))
        let attributes = try FileManager.default.attributesOfItem(atPath: state.path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)

        let stub = StubTransport(script: [
            .reply(204, header: [Self.offset(60), Self.incomplete]), .reply(200, header: [Self.complete], text: "done"),
        ])
        #expect(try await client(stub).upload(request, protocol: .draft(8), state: state).content == Data("done".utf8))
        #expect(requests(stub) == ["HEAD /uploads/s3cret", "PATCH /uploads/s3cret ?1 60 40 bytes"])
        #expect(try names.isEmpty)
    }

    @Test("The requests of a reserved upload")
    func reserved() async throws {
        let stub = StubTransport(
            script: created(Self.limit("max-append-size=60")) + [
                .reply(204, header: [Self.incomplete]), .reply(200, header: [Self.complete]),
            ]
        )
        let request = request.setting(headerField: Field(name: "Content-Digest", value: "sha-256=:AAAA:"))
        _ = try await client(stub).upload(request, protocol: .draft(8), state: state)
        #expect(
            requests(stub) == [
                "OPTIONS /videos", "POST /videos ?0 0 bytes", "PATCH /uploads/s3cret ?0 0 60 bytes",
                "PATCH /uploads/s3cret ?1 60 40 bytes",
            ]
        )
        #expect(stub.requests[1].header["Upload-Length" as Field.Name] == "100")
        #expect(stub.requests[1].header.contains(.contentType))
        #expect(!stub.requests[1].header.contains("Content-Digest"))
        #expect(received(stub) == Self.body)
        #expect(try names.isEmpty)
    }

    @Test("A server that doesn't announce support gets no empty body")
    func unannounced() async throws {
        let stub = StubTransport(script: [.reply(404), supported(.failure(.closed))])
        _ = await client(stub, retries: .never).uploadError(request, state: state)
        #expect(requests(stub) == ["OPTIONS /videos", "POST /videos ?1 100 bytes"])
        #expect(try content.contains("s3cret"))
        let other = StubTransport(script: [.reply(404), .failure(.closed)])
        try FileManager.default.removeItem(at: state)
        _ = await client(other, retries: .never).uploadError(request, state: state)
        #expect(try names.isEmpty)
    }

    @Test("Another body, URL or method is refused before anything is sent")
    func otherRequests() async throws {
        try await leaveState(of: request)
        let before = try content
        let others: [(Request<BaseURL, Data>, String)] = [
            (
                api.post(.raw(data: Self.body.dropLast()), to: "/videos", receiving: .data),
                "a body with another length than 99 bytes"
            ),
            (api.post(.raw(data: Data(count: 100)), to: "/videos", receiving: .data), "a body with other content"),
            (api.post(.raw(data: Self.body), to: "/films", receiving: .data), "another method or URL"),
            (api.put(.raw(data: Self.body), to: "/videos", receiving: .data), "another method or URL"),
        ]
        for (other, reason) in others {
            let stub = StubTransport(script: [])
            let error = try #require(await client(stub).uploadError(other, state: state) as? ClientError)
            #expect(error.code == .uploadFailed)
            #expect(error.message.contains(reason))
            #expect(!error.message.contains("s3cret"))
            #expect(stub.requests.isEmpty)
            #expect(try content == before)
        }
    }

    @Test("A file that was modified is refused")
    func modified() async throws {
        let file = folder.appending(path: "video")
        try Self.body.write(to: file)
        let request = api.post(.file(file), to: "/videos")
        let stub = StubTransport(script: created() + [.failure(.closed)])
        _ = await client(stub, retries: .never).uploadError(request, state: state)
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 9)],
            ofItemAtPath: file.path
        )
        let error = try #require(await client(stub).uploadError(request, state: state) as? ClientError)
        #expect(error.message.contains("a file before it was modified"))
        #expect(stub.requests.count == 3)
    }

    @Test("A body that no later program has is refused")
    func streams() async throws {
        let stub = StubTransport(script: [])
        let file = folder.appending(path: "video")
        try Self.body.write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let bodies: [BodyProvider] = [
            .chunks(AsyncStream<Data> { $0.finish() }), .multipart([.file("video", file, contentType: .binary)]),
        ]
        for body in bodies {
            let error = await client(stub).uploadError(api.post(body, to: "/videos"), state: state) as? ClientError
            #expect(error?.message.contains("can't be continued by a later program") == true)
        }
        #expect(stub.requests.isEmpty)
        #expect(try names == ["video"])
    }

    @Test("Only one upload at a time uses a state")
    func locked() async throws {
        let first = StubTransport(script: created() + [.never])
        let (started, feed) = AsyncStream.makeStream(of: Void.self)
        let observed = request.observing { event in if case .head = event { feed.yield() } }
        let (firstClient, state) = (client(first), state)
        let task = Task { await firstClient.uploadError(observed, state: state) }
        var heads = started.makeAsyncIterator()
        for _ in 0..<2 { await heads.next() }
        let second = StubTransport(script: [])
        let error = try #require(await client(second).uploadError(request, state: state) as? ClientError)
        #expect(error.message.contains("another upload is using"))
        #expect(second.requests.isEmpty)
        task.cancel()
        _ = await task.value
    }

    @Test("A call that has ended doesn't keep the state, even if its middleware still runs")
    func ended() async throws {
        let (started, feed) = AsyncStream.makeStream(of: Void.self)
        let (released, release) = AsyncStream.makeStream(of: Void.self)
        let stub = StubTransport(script: created() + [.reply(200)])
        var stuck = client(stub)
        // Holds the first part of the upload, and ignores cancellation.
        let holding = Interception { request, _, next in
            guard request.method == .patch else { return try await next(request) }
            feed.yield()
            await Task { for await _ in released {} }.value
            return try await next(request)
        }
        stuck.configuration.attemptMiddleware = [holding]
        let (request, state) = (request, state)
        let task = Task { [stuck] in await stuck.uploadError(request, state: state) }
        for await _ in started { break }
        stuck.cancelAll()
        #expect(await task.value is CancellationError)
        let later = StubTransport(script: [
            .reply(204, header: [Self.offset(60), Self.incomplete]), .reply(200, header: [Self.complete]),
        ])
        _ = try await client(later).upload(request, protocol: .draft(8), state: state)
        release.finish()
        #expect(try names.isEmpty)
    }

    @Test(
        "A file that isn't a state is neither changed nor removed",
        arguments: [
            "diary", "\n", "Requests upload state 2", "Requests upload 8\na\n100\nb\nhttps://a.example/", "\u{0}",
        ]
    )
    func foreign(text: String) async throws {
        let stub = StubTransport(script: [])
        try Data(text.utf8).write(to: state)
        let error = await client(stub).uploadError(request, state: state) as? ClientError
        #expect(error?.message.contains("isn't the state of an upload") == true)
        #expect(stub.requests.isEmpty)
        #expect(try content == text)
    }

    @Test("A link, a folder and a URL that isn't a file's are refused")
    func notFiles() async throws {
        let stub = StubTransport(script: [])
        try Data().write(to: state)
        let link = folder.appending(path: "link")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: state)
        for (url, reason) in [
            (link, "can't be read"), (folder, "can't be read"), (URL("https://a.example/"), "has no file URL"),
        ] {
            let error = await client(stub).uploadError(request, state: url) as? ClientError
            #expect(error?.code == .uploadFailed)
            #expect(error?.message.contains(reason) == true)
        }
        #expect(stub.requests.isEmpty)
        #expect(try Set(names) == ["link", "upload"])
    }

    @Test("The state of an upload that is gone is removed")
    func gone() async throws {
        try await leaveState(of: request)
        let stub = StubTransport(script: [.reply(410)])
        let error = await client(stub).uploadError(request, state: state) as? ClientError
        #expect(error?.message.contains("may have processed it") == true)
        #expect(try names.isEmpty)
    }

    @Test("The state stays if the server refuses for now")
    func refused() async throws {
        try await leaveState(of: request)
        let stub = StubTransport(script: [.reply(401), .reply(204, header: [Self.incomplete])])
        _ = await client(stub).uploadError(request, state: state)
        _ = await client(stub).uploadError(request, state: state)
        #expect(try content.contains("s3cret"))
    }
}
