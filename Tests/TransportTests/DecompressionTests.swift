import Foundation
import Requests
import RequestsClient
import RequestsCurl
import RequestsTesting
import Testing

@Suite("Content codings over libcurl", .timeLimit(.minutes(5)))
struct DecompressionTests {
    private static let text = String(repeating: "The quick brown fox jumps over the lazy dog. ", count: 40)
    private static let brotli = "GwcHiCwOeNPQlV2XELsXK6nK0JLMjK1BXObyNsgZnp4Ke4MNOHBIIG8kv0GnFc4cHieqKTjCqXSfBgM="
    private static let zstd =
        "KLUv/WAIBrUBANQCVGhlIHF1aWNrIGJyb3duIGZveCBqdW1wcyBvdmVyIHRoZSBsYXp5IGRvZy4gAQDFFv6qDA=="
    private func server(_ coding: String, _ body: Data, status: Int = 200) throws -> LoopbackServer {
        try LoopbackServer.http { request in
            let header: Header = [
                Field(name: .contentEncoding, value: coding),
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
    private static let newerCodings = CurlTransport.Decompression.Coding.available
        .filter { [.brotli, .zstd].contains($0) }

    @Test("br and zstd are decoded", arguments: newerCodings)
    func decodesNewerCodings(_ available: CurlTransport.Decompression.Coding) async throws {
        let coding = available.description
        let body = try #require(Data(base64Encoded: coding == "br" ? Self.brotli : Self.zstd))
        let response = try await exchange(server(coding, body))
        #expect(response.content == Data(DecompressionTests.text.utf8))
        #expect(response.head.header[.contentEncoding] == nil)
        for length in [1, 10, body.count - 1] {
            let server = try server(coding, body.prefix(length))
            let error = await #expect(throws: TransportError.self) { try await exchange(server) }
            #expect(error?.code == .decoding, "\(length) bytes")
        }
        let server = try server(coding, Data("not at all".utf8))
        let error = await #expect(throws: TransportError.self) { try await exchange(server) }
        #expect(error?.code == .decoding)
    }

    @Test("codings upon codings are undone in the order of their undoing")
    func stacked() async throws {
        let gzip = try #require(Gzip.data(DecompressionTests.text))
        let response = try await exchange(
            server("br, gzip", Gzip.data(DecompressionTests.brotli, isBase64: true) ?? gzip)
        )
        #expect(response.content == Data(DecompressionTests.text.utf8))
    }

    @Test("members of gzip may follow each other, and a body may be empty")
    func members() async throws {
        let gzip = try #require(Gzip.data(DecompressionTests.text))
        let expected = Data((DecompressionTests.text + DecompressionTests.text).utf8)
        #expect(try await exchange(server("gzip", gzip + gzip)).content == expected)
        #expect(try await exchange(server("gzip", Data())).content.isEmpty)
    }

    @Test("more codings than five are refused, however little is in them")
    func tooMany() async throws {
        let server = try server("gzip, gzip, gzip, gzip, gzip, gzip", Data("x".utf8))
        let error = await #expect(throws: TransportError.self) { try await exchange(server) }
        #expect(error?.code == .decoding)
    }

    @Test("the available encodings are offered unless the request names its own")
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
        "a body for a request that says itself what it accepts arrives as it is, asked for or not",
        arguments: ["gzip", "identity"]
    )
    func ownAcceptEncoding(value: String) async throws {
        let body = try #require(Gzip.data(DecompressionTests.text))
        let header: Header = [Field(name: .acceptEncoding, value: value)]
        let response = try await exchange(server("gzip", body), header: header)
        #expect(response.content == body)
        #expect(response.head.header[.contentEncoding] == "gzip")
    }

    @Test("parts, redirects and what nobody wants undone arrive as they are", arguments: [206, 301, 200])
    func untouched(status: Int) async throws {
        let body = try #require(Gzip.data(DecompressionTests.text))
        let response = try await exchange(server("gzip", body, status: status)) { if status == 200 { $0 = .none } }
        #expect(response.content == body)
        #expect(response.head.header[.contentEncoding] == "gzip")
        #expect(response.head.header[.contentLength] == "\(body.count)")
    }

    @Test("a decoded body may be no larger than it may")
    func maximumBytes() async throws {
        let server = try server("gzip", try #require(Gzip.data(DecompressionTests.text)))
        #expect(try await exchange(server) { $0.maximumBytes = 1800 }.content.count == 1800)
        let error = await #expect(throws: TransportError.self) { try await exchange(server) { $0.maximumBytes = 1799 } }
        #expect(error?.code == .tooLarge)
    }

    @Test("a body that grows within its codings is refused, even where it comes to nothing in the end")
    func growthInside() async throws {
        // An empty member of gzip, of which many take little when they are coded again, and a second time less.
        let empty = try #require(Gzip.data(""))
        let members = try #require(Gzip.data(Data(repeatElement(empty, count: 500_000).joined())))
        let body = try #require(Gzip.data(members))
        #expect(body.count < 10_000)
        let server = try server("gzip, gzip, gzip", body)
        let error = await #expect(throws: TransportError.self) { try await exchange(server) }
        #expect(error?.code == .tooLarge)
    }

    @Test("decoding goes no further than reading: 16 KiB that hold 16 MiB wait as they are")
    func backPressure() async throws {
        let server = try server("gzip", Gzip.zeros(encoded: 16 << 10))
        var configuration = CurlTransport.Configuration()
        configuration.decompression.maximumRatio = 10_000
        let transport = try CurlTransport(configuration: configuration)
        let request = try PreparedRequest(url: RequestURL(server.baseURL.absoluteString))
        let chunks = try await transport.send(request).content.makeAsyncIterator()
        for _ in 0..<10 { #expect(try await chunks.next()?.count ?? 0 <= 64 << 10) }
    }
}

/// Data in gzip, made with the program of that name.
private enum Gzip {
    static func data(_ text: String, isBase64: Bool = false) -> Data? {
        data(isBase64 ? Data(base64Encoded: text) ?? Data() : Data(text.utf8))
    }

    static func data(_ data: Data) -> Data? {
        try? Subprocess.run("/bin/gzip", ["-c"], input: data).output
    }

    /// The start of a gzip of zeros: 1032 of them in each byte.
    static func zeros(encoded count: Int) -> Data {
        (Data(base64Encoded: "H4sIAAAAAAACA+zBAQEAAACAkP6v7ggK") ?? Data()) + Data(count: count)
    }
}
