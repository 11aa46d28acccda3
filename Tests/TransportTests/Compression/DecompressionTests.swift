import RequestsConformance
import RequestsCurl
import RequestsTestSupport
import RequestsTesting
import Testing

@Suite("Content encodings over libcurl", .timeLimit(.minutes(5)))
struct DecompressionTests {
    private static let text = String(repeating: "The quick brown fox jumps over the lazy dog. ", count: 40)
    private static let brotli = "GwcHiCwOeNPQlV2XELsXK6nK0JLMjK1BXObyNsgZnp4Ke4MNOHBIIG8kv0GnFc4cHieqKTjCqXSfBgM="
    private static let zstd =
        "KLUv/WAIBrUBANQCVGhlIHF1aWNrIGJyb3duIGZveCBqdW1wcyBvdmVyIHRoZSBsYXp5IGRvZy4gAQDFFv6qDA=="
    private func server(_ encoding: String, _ body: Data, status: Int = 200) throws -> LoopbackServer {
        try LoopbackServer.http { request in
            let header: Header = [
                Field(name: .contentEncoding, value: encoding),
                Field(name: "X-Accepted", value: request.header[.acceptEncoding] ?? "none"),
            ]
            return .init(status, header: header, body: body)
        }
    }

    private func exchange(
        _ server: LoopbackServer,
        header: Header = [],
        _ change: (inout CurlTransport.Decompression) -> Void = { _ in }
    ) async throws -> Response<Data> {
        var configuration = CurlTransport.Configuration()
        change(&configuration.decompression)
        let transport = try CurlTransport(configuration: configuration)
        let request = try PreparedRequest(url: RequestURL(server.baseURL.absoluteString), header: header)
        let response = try await transport.send(request)
        let data = try await response.content.collect(upTo: .max)
        return Response(head: response.head, content: data)
    }

    /// libcurl is often built without zstd.
    private static let newerEncodings = CurlTransport.Decompression.Coding.available
        .filter { [.brotli, .zstd].contains($0) }

    @Test("br and zstd bodies are decoded", arguments: newerEncodings)
    func decodesNewerEncodings(_ available: CurlTransport.Decompression.Coding) async throws {
        let encoding = available.description
        let body = try #require(Data(base64Encoded: encoding == "br" ? Self.brotli : Self.zstd))
        let response = try await exchange(server(encoding, body))
        #expect(response.content == Data(DecompressionTests.text.utf8))
        #expect(response.head.header[.contentEncoding] == nil)
        for length in [1, 10, body.count - 1] {
            let server = try server(encoding, body.prefix(length))
            let error = await #expect(throws: TransportError.self) { try await exchange(server) }
            #expect(error?.code == .decoding, "\(length) bytes")
        }
        let server = try server(encoding, Data("not at all".utf8))
        let error = await #expect(throws: TransportError.self) { try await exchange(server) }
        #expect(error?.code == .decoding)
    }

    @Test(
        "Several content encodings are decoded in reverse order",
        .enabled(if: CurlTransport.Decompression.Coding.available.contains(.brotli))
    )
    func stacked() async throws {
        let gzip = try #require(Gzip.data(DecompressionTests.text))
        let response = try await exchange(
            server("br, gzip", Gzip.data(DecompressionTests.brotli, isBase64: true) ?? gzip)
        )
        #expect(response.content == Data(DecompressionTests.text.utf8))
    }

    @Test("An invalid body is an error of its reader, which gets the head before it")
    func invalid() async throws {
        let server = try server("gzip", Data("no gzip".utf8))
        let request = try PreparedRequest(url: RequestURL(server.baseURL.absoluteString))
        let response = try await CurlTransport().send(request)
        #expect(response.head.statusCode == 200)
        let error = await #expect(throws: TransportError.self) { try await response.content.collect(upTo: .max) }
        #expect(error?.code == .decoding)
    }

    @Test("A gzip body can have several members or be empty")
    func members() async throws {
        let gzip = try #require(Gzip.data(DecompressionTests.text))
        let expected = Data((DecompressionTests.text + DecompressionTests.text).utf8)
        #expect(try await exchange(server("gzip", gzip + gzip)).content == expected)
        #expect(try await exchange(server("gzip", Data())).content.isEmpty)
    }

    @Test("Zeros after gzip are padding, and other bytes an error", arguments: [1, 511, 200_000])
    func padding(count: Int) async throws {
        let gzip = try #require(Gzip.data(DecompressionTests.text))
        let body = gzip + Data(count: count)
        #expect(try await exchange(server("gzip", body)).content == Data(DecompressionTests.text.utf8))
        let error = await #expect(throws: TransportError.self) { try await exchange(server("gzip", body + Data([1]))) }
        #expect(error?.code == .decoding)
    }

    @Test("More than five content encodings are rejected, even for a small body")
    func tooMany() async throws {
        let server = try server("gzip, gzip, gzip, gzip, gzip, gzip", Data("x".utf8))
        let error = await #expect(throws: TransportError.self) { try await exchange(server) }
        #expect(error?.code == .decoding)
    }

    @Test(
        "Accept-Encoding lists the available encodings unless the request sets it",
        .enabled(if: CurlTransport.Decompression.Coding.available.contains(.brotli))
    )
    func offer() async throws {
        let server = try server("identity", Data("x".utf8))
        let offered = "X-Accepted" as Field.Name
        let available = CurlTransport.Decompression.Coding.available.map(\.description)
        #expect(available.starts(with: ["gzip", "deflate", "br"]))
        #expect(try await exchange(server).head.header[offered] == available.joined(separator: ", "))
        #expect(try await exchange(server) { $0.codings = [.brotli, .gzip] }.head.header[offered] == "br, gzip")
        #expect(try await exchange(server) { $0 = .none }.head.header[offered] == "none")
        let own: Header = [Field(name: .acceptEncoding, value: "br")]
        #expect(try await exchange(server, header: own).head.header[offered] == "br")
        let range: Header = [Field(name: "Range", value: "bytes=0-9")]
        #expect(try await exchange(server, header: range).head.header[offered] == "none")
    }

    @Test(
        "A body isn't decoded if the request sets its own Accept-Encoding",
        arguments: ["gzip", "identity"]
    )
    func ownAcceptEncoding(value: String) async throws {
        let body = try #require(Gzip.data(DecompressionTests.text))
        let header: Header = [Field(name: .acceptEncoding, value: value)]
        let response = try await exchange(server("gzip", body), header: header)
        #expect(response.content == body)
        #expect(response.head.header[.contentEncoding] == "gzip")
    }

    @Test(
        "Partial content, redirects and bodies without configured decoding aren't decoded",
        arguments: [206, 301, 200]
    )
    func untouched(status: Int) async throws {
        let body = try #require(Gzip.data(DecompressionTests.text))
        let response = try await exchange(server("gzip", body, status: status)) { if status == 200 { $0 = .none } }
        #expect(response.content == body)
        #expect(response.head.header[.contentEncoding] == "gzip")
        #expect(response.head.header[.contentLength] == "\(body.count)")
    }

    @Test("maximumBytes limits the decoded size")
    func maximumBytes() async throws {
        let server = try server("gzip", try #require(Gzip.data(DecompressionTests.text)))
        #expect(try await exchange(server) { $0.maximumBytes = 1800 }.content.count == 1800)
        let error = await #expect(throws: TransportError.self) { try await exchange(server) { $0.maximumBytes = 1799 } }
        #expect(error?.code == .tooLarge)
    }

    @Test("An expansion bomb between two encodings is rejected, even if the result is empty")
    func growthInside() async throws {
        // Many empty gzip members, which compress well twice but decode to nothing.
        let empty = try #require(Gzip.data(""))
        let members = try #require(Gzip.data(Data(repeatElement(empty, count: 500_000).joined())))
        let body = try #require(Gzip.data(members))
        #expect(body.count < 10_000)
        let server = try server("gzip, gzip, gzip", body)
        let error = await #expect(throws: TransportError.self) { try await exchange(server) }
        #expect(error?.code == .tooLarge)
    }

    @Test("An encoded body without content is rejected, although it never ends", arguments: EmptyEncoding.all)
    func empty(encoding: Named<EmptyEncoding>) async throws {
        let server = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.write("HTTP/1.1 200 OK\r\nContent-Encoding: \(encoding.value.coding)\r\n\r\n")
            try connection.write(encoding.value.start)
            let part = Data(repeatElement(encoding.value.part, count: 10_000).joined())
            while true { try connection.write(part) }
        }
        defer { server.stop() }
        let error = await #expect(throws: TransportError.self) { try await exchange(server) }
        #expect(error?.code == .tooLarge)
    }

    @Test("An encoded body may have much encoding for little content")
    func scarce() async throws {
        let letter = try #require(Gzip.data("a"))
        let body = Data(repeatElement(letter, count: 100_000).joined())
        #expect(body.count > 2 << 20)
        #expect(try await exchange(server("gzip", body)).content.count == 100_000)
    }

    @Test("A read decodes up to 64 KiB, however much one encoded chunk holds")
    func decodesInPieces() async throws {
        let server = try server("gzip", Gzip.zeros(encoded: 16 << 10))
        var configuration = CurlTransport.Configuration()
        configuration.decompression.maximumRatio = 10_000
        let transport = try CurlTransport(configuration: configuration)
        let request = try PreparedRequest(url: RequestURL(server.baseURL.absoluteString))
        let chunks = try await transport.send(request).content.makeAsyncIterator()
        for _ in 0..<10 {
            let chunk = try #require(try await chunks.next())
            #expect(chunk.count <= 64 << 10)
            #expect(chunk.allSatisfy { $0 == 0 })
        }
    }
}

/// An encoded body that repeats a part which decodes to nothing.
struct EmptyEncoding {
    let coding: String
    var start: [UInt8] = []
    let part: [UInt8]

    private static let gzipHeader: [UInt8] = [0x1F, 0x8B, 8]

    static let all = [
        Named(
            "gzip members",
            EmptyEncoding(
                coding: "gzip",
                part: gzipHeader + [0, 0, 0, 0, 0, 0, 3, 3, 0] + Array(repeating: 0, count: 8)
            )
        ),
        Named(
            "zeros after gzip",
            EmptyEncoding(
                coding: "gzip",
                start: gzipHeader + [0, 0, 0, 0, 0, 0, 3, 3, 0] + Array(repeating: 0, count: 8),
                part: [0]
            )
        ),
        Named("a gzip name", EmptyEncoding(coding: "gzip", start: gzipHeader + [8, 0, 0, 0, 0, 0, 3], part: [0x61])),
        Named("deflate blocks", EmptyEncoding(coding: "deflate", start: [0x78, 0x9C], part: [0, 0, 0, 0xFF, 0xFF])),
        Named("brotli metadata", EmptyEncoding(coding: "br", start: [0x0C], part: [0x06])),
        Named("zstd frames", EmptyEncoding(coding: "zstd", part: [0x28, 0xB5, 0x2F, 0xFD, 0x20, 0, 1, 0, 0])),
        Named("skippable zstd frames", EmptyEncoding(coding: "zstd", part: [0x50, 0x2A, 0x4D, 0x18, 0, 0, 0, 0])),
    ]
    .filter { encoding in
        CurlTransport.Decompression.Coding.available.contains { $0.description == encoding.value.coding }
    }
}

/// Compresses data with the `gzip` program.
private enum Gzip {
    static func data(_ text: String, isBase64: Bool = false) -> Data? {
        data(isBase64 ? Data(base64Encoded: text) ?? Data() : Data(text.utf8))
    }

    static func data(_ data: Data) -> Data? {
        try? Subprocess.run("/bin/gzip", ["-c"], input: data).output
    }

    /// Returns a gzip stream in which each encoded byte decodes to 1032 zeros.
    static func zeros(encoded count: Int) -> Data {
        (Data(base64Encoded: "H4sIAAAAAAACA+zBAQEAAACAkP6v7ggK") ?? Data()) + Data(count: count)
    }
}
