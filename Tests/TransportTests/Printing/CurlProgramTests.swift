import RequestsConformance
import RequestsCurl
import RequestsTestSupport
import RequestsTesting
import Testing

/// The `curl` program, which `scripts/test` installs.
private enum CurlProgram {
    static let isInstalled = (try? run("curl --version >/dev/null")) == 0
    static let absence: Comment = "curl isn't installed; scripts/test installs it"

    /// Runs a command without a proxy or the user's settings.
    ///
    /// The shell reads it from a file, because the length of an argument is limited.
    static func run(_ command: String) throws -> Int32 {
        let directory = FileManager.default.temporaryDirectory.appending(path: "requests-\(UUID())")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let script = directory.appending(path: "command.sh")
        try Data(command.utf8).write(to: script)
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        return try Subprocess.run("/bin/sh", [script.path], environment: ["PATH": path, "HOME": directory.path]).status
    }
}

@Suite("curl commands", .timeLimit(.minutes(5)), .enabled(if: CurlProgram.isInstalled, CurlProgram.absence))
struct CurlProgramTests {
    private let directory = FileManager.default.temporaryDirectory.appending(path: "requests-\(UUID())")

    /// Returns the requests that a server received, first from curl and then from `CurlTransport`.
    private func received<R: RequestConvertible>(
        _ request: (BaseURL) throws -> R
    ) async throws -> (prepared: PreparedRequest, requests: [LoopbackServer.Request]) {
        let received = Locked<[LoopbackServer.Request]>([])
        let server = try LoopbackServer.http { request in
            received.withLock { $0.append(request) }
            return .init(200)
        }
        let prepared = try request(BaseURL(baseURL: server.baseURL)).prepared()
        #expect(try CurlProgram.run(prepared.curlCommand(revealingSecrets: true)) == 0)
        _ = try await CurlTransport().send(prepared).content.collect(upTo: 0)
        return (prepared, received.withLock { $0 })
    }

    private func expectSameRequest<R: RequestConvertible>(
        _ request: (BaseURL) throws -> R
    ) async throws {
        let (prepared, requests) = try await received(request)
        try #require(requests.count == 2)
        #expect(requests[0].line == requests[1].line)
        #expect(requests[0].line.hasPrefix("\(prepared.method) "))
        #expect(requests[0].body == requests[1].body)
        var names = Set(prepared.header.map(\.name))
        // The two have different default content types.
        names.insert(.contentType)
        if !prepared.body.isNone { names.insert(.contentLength) }
        for name in names {
            #expect(requests[0].header[values: name] == requests[1].header[values: name], "\(name)")
        }
        for field in prepared.header { #expect(requests[0].header[values: field.name].contains(field.value)) }
    }

    private func withFile(named name: String, _ data: Data, _ body: (URL) async throws -> Void) async throws {
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let file = directory.appending(path: name)
        try data.write(to: file)
        try await body(file)
    }

    private static let samples: [SampleText] = [
        "", " ", "it's \"quoted\"", "@file", "a=b&c", "$(echo x) `echo x` $HOME", "\\n %s \\0", "'; echo x; '", "-o x",
        "é 😀 e\u{301} '\u{301}", "\u{1B}[31m\u{7F}", "line\nbreak\r\n\n", "\0 inside",
        SampleText((1...255).reduce(into: "") { $0.unicodeScalars.append(UnicodeScalar(UInt8($1))) }),
    ]

    @Test("A curl command sends text like the transport", arguments: samples)
    func text(sample: SampleText) async throws {
        try await expectSameRequest { $0.post(.text(sample.text), to: "/") }
    }

    @Test("A curl command sends JSON and forms like the transport", arguments: samples)
    func encoded(sample: SampleText) async throws {
        let text = sample.text
        try await expectSameRequest { $0.put(.json(encoded: [text: text]), to: "/") }
        try await expectSameRequest { $0.patch("/", with: .form([text: text])) }
    }

    @Test("A curl command sends bytes and very long text like the transport")
    func bytes() async throws {
        let bytes = (0..<10_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 3) }
        try await expectSameRequest { $0.post(.raw(data: Data(bytes)), to: "/") }
        try await expectSameRequest { $0.post(.text(String(repeating: "it's é\n", count: 40_000)), to: "/") }
    }

    @Test(
        "A curl command sends files and file ranges like the transport",
        arguments: ["a.bin", "a' \"$(echo b)\" ;,é\\.txt"]
    )
    func files(name: String) async throws {
        let bytes = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 5) })
        try await withFile(named: name, bytes) { file in
            try await expectSameRequest { $0.put(.file(file), to: "/") }
            try await expectSameRequest { $0.put(.file(file, range: 70_000..<170_000), to: "/") }
        }
    }

    @Test("A curl command sends a multipart body with files like the transport", arguments: samples)
    func multipart(sample: SampleText) async throws {
        let text = sample.text
        let bytes = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 5) })
        try await withFile(named: "it's a photo.jpg", bytes) { file in
            let parts: Multipart = [
                .field(text, text), .file("photo", file, filename: text, contentType: .jpeg),
                .field("bytes", data: Data([0, 0xFF, 0x27]) + Data(text.utf8)), .file("again", file),
                .field("end", text),
            ]
            try await expectSameRequest { $0.post(.multipart(parts), to: "/") }
        }
    }

    @Test("A curl command sends the method, target and header fields like the transport")
    func head() async throws {
        let fields: Header = [
            .accept(.json), Field(name: "X-Twice", value: "it's"), Field(name: "X-Twice", value: "$HOME; @x"),
            Field(name: "X-Empty", value: ""), .userAgent("é/1"), Field(name: "X-Secret", value: "s3cret").sensitive(),
        ]
        var query: Query = ["a b": "c&d", "[e]": "{f,g}", "é": "#"]
        query.items.append(URLQueryItem(name: "'", value: nil))
        for method in ["GET", "DELETE", "OPTIONS", "HEAD", "PURGE"] as [HTTPMethod] {
            try await expectSameRequest {
                $0.request(to: "/a b/\("c/d?e'f")/", using: method).with(query: query).with(header: fields)
                    .authenticated(with: .basicAuth(username: "ada", password: "it's"))
            }
        }
        let untyped = BodyProvider { _ in .data(Data("x".utf8)) }
        try await expectSameRequest { $0.post(untyped, to: "/") }
        try await expectSameRequest { $0.get(.data, from: "/").sending(.text("x")) }
        try await expectSameRequest { $0.post(.none, to: "/") }
    }
}
