import RequestsTesting
import Testing

@Suite("Downloads", .timeLimit(.minutes(5)))
final class DownloadTests: DownloadSuite, Sendable {
    let api = BaseURL("https://a.example")
    let sent = Recorder<PreparedRequest>()
    let progress = Recorder<String>()
    let directory: URL

    init() throws {
        directory = try Self.makeDirectory()
    }

    deinit { removeDirectory() }

    /// Responds with a body in pieces. An empty piece breaks the connection.
    func client(
        _ configuration: Client.Configuration = Client.Configuration(),
        _ respond: @escaping @Sendable (PreparedRequest) -> (Int, Header, [String])
    ) -> Client {
        var configuration = configuration
        configuration.progressInterval = .zero
        return Client(
            transport: StubTransport { [sent] request in
                sent.record(request)
                let (status, header, pieces) = respond(request)
                let body = AsyncThrowingStream<Data, any Error> { continuation in
                    for piece in pieces {
                        if piece.isEmpty {
                            let error = TransportError(code: .truncated, message: "", phase: .receiving)
                            return continuation.finish(throwing: error)
                        }
                        continuation.yield(Data(piece.utf8))
                    }
                    continuation.finish()
                }
                let head = try ResponseHead(statusCode: status, header: header, url: request.url)
                return Response(head: head, content: ResponseBody(body))
            },
            configuration: configuration
        )
    }

    @discardableResult
    func download(_ client: Client, resume: Bool = true) async throws -> Response<URL> {
        try await client.download(api.get(.none, from: "/f"), to: file, resume: resume) { [progress] received, total in
            progress.record("\(received)/\(total.map(String.init) ?? "?")")
        }
    }

    let version: Header = [Field(name: "ETag", value: "\"v1\"")]

    /// The fields of a file that was modified and sent at these times.
    static func dated(_ sent: String? = nil) -> Header {
        let modified = Field(name: "Last-Modified", value: "Sun, 06 Nov 1994 08:49:37 GMT")
        return Header([modified] + (sent.map { [Field(name: "Date", value: $0)] } ?? []))
    }

    @Test("A file can have the longest name that the file system allows", arguments: [true, false])
    func longName(resume: Bool) async throws {
        let long = directory.appendingPathComponent(String(repeating: "é", count: 127))
        let client = client { _ in (200, [], ["abc"]) }
        try await client.download(api.get(.none, from: "/f"), to: long, resume: resume)
        #expect(try Data(contentsOf: long) == Data("abc".utf8))
        #expect(try names == [long.lastPathComponent])
    }

    @Test("The file appears when it is complete, replaces an existing one, and reports its progress")
    func whole() async throws {
        try Data("old".utf8).write(to: file)
        let client = client { _ in (200, [Field(name: .contentLength, value: "6")], ["abc", "def"]) }
        let response = try await download(client, resume: false)
        #expect(response.content == file)
        #expect(try content() == "abcdef")
        #expect(try names == ["file"])
        #expect(progress.recorded == ["0/6", "3/6", "6/6"])
        #expect(sent.recorded.first?.header.isEmpty == true)
    }

    @Test(
        "A failed download keeps the existing file, and leaves a partial file only if it can be resumed",
        arguments: [true, false]
    )
    func failure(resume: Bool) async throws {
        try Data("old".utf8).write(to: file)
        let client = client { [version] _ in (200, version, ["abc", ""]) }
        let error = await #expect(throws: TransportError.self) { try await download(client, resume: resume) }
        #expect(error?.code == .truncated)
        #expect(try content() == "old")
        #expect(try names == (resume ? [".file.partial", ".file.partial-version", "file"] : ["file"]))
    }

    @Test("A download continues the partial file of the same version")
    func resumes() async throws {
        let client = client { [version] request in
            request.header.contains("Range")
                ? (206, Header(Array(version) + [Field(name: "Content-Range", value: "bytes 3-5/6")]), ["d", "ef"])
                : (200, version, ["abc", ""])
        }
        await #expect(throws: TransportError.self) { try await download(client) }
        #expect(try await download(client).head.statusCode == 206)
        #expect(try content() == "abcdef")
        #expect(try names == ["file"])
        #expect(
            sent.recorded.map { $0.header.dictionaryValue } == [
                ["Accept-Encoding": "identity"],
                ["Accept-Encoding": "identity", "Range": "bytes=3-", "If-Range": "\"v1\""],
            ]
        )
        #expect(progress.recorded == ["0/?", "3/?", "3/6", "4/6", "6/6"])
    }

    @Test("The partial file of another URL isn't continued, and no URL is stored")
    func otherURL() async throws {
        let client = client { [sent, version] _ in sent.count == 1 ? (200, version, ["abc", ""]) : (200, [], ["new"]) }
        await #expect(throws: TransportError.self) {
            try await client.download(api.get(.none, from: "/f").with(query: ["key": "s3cret"]), to: file, resume: true)
        }
        for name in try names {
            #expect(try !String(contentsOf: directory.appendingPathComponent(name), encoding: .utf8).contains("s3cret"))
        }
        try await download(client)
        #expect(sent.recorded.map { $0.header.contains("Range") } == [false, false])
        #expect(try content() == "new")
    }

    @Test("A restarted download ignores a partial file that couldn't be removed")
    func notRemovable() async throws {
        let client = client { [sent, version] request in
            guard request.header.contains("Range"), sent.count < 5 else { return (200, version, ["abc"]) }
            return (416, [Field(name: "Content-Range", value: "bytes */2")], [])
        }
        // Restores the partial file whenever the request is built.
        let kept = Locked<[URL: Data]>([:])
        let body = BodyProvider { _ in
            for (file, content) in kept.withLock({ $0 }) { try content.write(to: file) }
            return .none
        }
        let request = api.post(body, to: "/f").adding(headerField: .idempotencyKey("7"))
        let broken = self.client { [version] _ in (200, version, ["abc", ""]) }
        await #expect(throws: TransportError.self) { try await broken.download(request, to: file, resume: true) }
        for name in try names {
            let file = directory.appendingPathComponent(name)
            let content = try Data(contentsOf: file)
            kept.withLock { $0[file] = content }
        }
        try await client.download(request, to: file, resume: true)
        #expect(sent.recorded.map { $0.header.contains("Range") } == [false, true, false])
    }

    static let contradictions: [(status: Int, header: Header, body: String, ranges: [String?])] = [
        // The part fits, although the status says that it is the whole.
        (200, ["ETag": "\"v1\"", "Content-Range": "bytes 3-5/6"], "def", ["bytes=3-"]),
        (200, ["ETag": "\"v1\"", "Content-Range": "bytes 3-5/6", .contentLength: "3"], "def", ["bytes=3-"]),
        (200, ["ETag": "\"v1\"", "Content-Range": "bytes 0-5/6"], "abcdef", ["bytes=3-"]),
        (206, ["ETag": "\"v1\"", "Content-Range": "bytes 0-5/6"], "abcdef", ["bytes=3-"]),
        (200, ["ETag": "\"v2\"", .contentLength: "6"], "abcdef", ["bytes=3-"]),
        // Another part, or a length that is wrong.
        (200, ["ETag": "\"v1\"", "Content-Range": "bytes 2-5/6"], "cdef", ["bytes=3-", nil]),
        (200, ["ETag": "\"v1\"", "Content-Range": "bytes 4-5/6"], "ef", ["bytes=3-", nil]),
        (200, ["ETag": "\"v1\"", "Content-Range": "bytes 3-5/6", .contentLength: "6"], "abcdef", ["bytes=3-", nil]),
        (200, ["ETag": "\"v1\"", .contentLength: "3"], "def", ["bytes=3-", nil]),
        (200, [.contentLength: "3"], "def", ["bytes=3-", nil]),
        (206, ["ETag": "\"v1\"", "Content-Range": "bytes 3-5/6", .contentLength: "2"], "de", ["bytes=3-", nil]),
        (206, ["ETag": "\"v1\"", "Content-Range": "bytes 3-6/7"], "defg", ["bytes=3-", nil]),
        // Another version, or none.
        (200, ["ETag": "\"v2\"", "Content-Range": "bytes 3-5/6"], "def", ["bytes=3-", nil]),
        (200, ["ETag": "W/\"v1\"", "Content-Range": "bytes 3-5/6"], "def", ["bytes=3-", nil]),
        (200, ["Content-Range": "bytes 3-5/6"], "def", ["bytes=3-", nil]),
        // No position.
        (200, ["ETag": "\"v1\"", "Content-Range": "bytes */6"], "def", ["bytes=3-", nil]),
        (200, ["ETag": "\"v1\"", "Content-Range": "bytes 3-5/5"], "def", ["bytes=3-", nil]),
        (200, ["ETag": "\"v1\"", "Content-Range": "items 3-5/6"], "def", ["bytes=3-", nil]),
        (
            206, ["ETag": "\"v1\"", "Content-Range": "bytes 3-5/6", .contentType: "multipart/byteranges; boundary=x"],
            "def", ["bytes=3-", nil]
        ),
    ]

    @Test(
        "A response that contradicts itself continues the file if its part fits, and starts it again otherwise",
        arguments: contradictions.indices
    )
    func contradiction(index: Int) async throws {
        let (status, header, body, ranges) = Self.contradictions[index]
        let client = client { [sent, version] request in
            if request.header.contains(.range) { return (status, header, [body]) }
            let whole = Header(Array(version) + [Field(name: .contentLength, value: "6")])
            return (200, whole, sent.count == 1 ? ["abc", ""] : ["abcdef"])
        }
        await #expect(throws: TransportError.self) { try await download(client) }
        try await download(client)
        #expect(try content() == "abcdef")
        #expect(sent.recorded.map { $0.header[.range] } == [nil] + ranges)
    }

    /// A transport that doesn't compare a body with its length.
    private struct Unchecked: Transport {
        let body: String
        let capabilities: TransportCapabilities = []

        func send(_ request: PreparedRequest, context: SendContext) async throws -> Response<ResponseBody> {
            let header: Header = ["ETag": "\"v1\"", .contentLength: "3"]
            return try .stub(200, header: header, body: Data(body.utf8), for: request)
        }
    }

    @Test("A file that is shorter or longer than its announced length isn't complete", arguments: ["ab", "abcd"])
    func announcedLength(body: String) async throws {
        let client = Client(transport: Unchecked(body: body))
        let error = await #expect(throws: ClientError.self) { try await download(client) }
        #expect(error?.code == .downloadFailed)
        #expect(try !names.contains("file"))
    }

    @Test("The same version without a length has the known one")
    func knownLength() async throws {
        let client = client { [sent, version] request in
            let whole = Header(Array(version) + [Field(name: .contentLength, value: "6")])
            return sent.count == 1 ? (200, whole, ["abc", ""]) : (200, version, ["def"])
        }
        await #expect(throws: TransportError.self) { try await download(client) }
        await #expect(throws: ClientError.self) { try await download(client) }
        #expect(try !names.contains("file"))
    }

    @Test("A part that wasn't requested is the file if it contains everything")
    func unaskedWhole() async throws {
        let client = client { _ in (206, ["Content-Range": "bytes 0-2/3"], ["abc"]) }
        for resume in [false, true] {
            try await download(client, resume: resume)
            #expect(try content() == "abc")
        }
    }
}
