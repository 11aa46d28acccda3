import RequestsClient
import RequestsCompression
import Testing

@Suite("Compressed request bodies", .timeLimit(.minutes(5)))
struct CompressedBodyTests {
    private let api = BaseURL("https://a.example")

    /// Decodes gzip or the zlib format.
    private func decoded(_ data: Data) throws -> Data {
        let inflater = try Inflater(data.first == 0x1F ? .gzip : .deflate)
        var output = [UInt8](repeating: 0, count: 4 << 20)
        let step = try data.withUnsafeBytes { input in
            try output.withUnsafeMutableBytes { try inflater.decode(input, into: $0) }
        }
        #expect(step.isEnd)
        #expect(step.consumed == data.count)
        return Data(output.prefix(step.produced))
    }

    @Test("Bytes in memory are compressed at each build, with their length", arguments: [ContentCoding.gzip, .deflate])
    func memory(coding: ContentCoding) throws {
        let text = String(repeating: "the same line\n", count: 10_000)
        let request = api.post(.text(text).compressed(coding), to: "/")
        let prepared = try request.prepared()
        let sent = try #require(prepared.body.data)
        #expect(prepared.header[.contentEncoding] == coding.name)
        #expect(prepared.header[.contentType]?.hasPrefix("text/plain") == true)
        #expect(sent.count < 2000)
        #expect(try decoded(sent) == Data(text.utf8))
        #expect(try request.prepared() == prepared)
    }

    @Test("Chunks are compressed as they are sent, again for each attempt")
    func chunks() async throws {
        var generator = SystemRandomNumberGenerator()
        let content = Data((0..<300_000).map { _ in UInt8.random(in: 0...31, using: &generator) })
        let pieces = stride(from: 0, to: content.count, by: 7000).map { content[$0..<min($0 + 7000, content.count)] }
        let stream = BodyProvider.chunks(Pieces(pieces: pieces), isReplayable: true)
        let body = try api.post(stream.compressed(.gzip, level: 99), to: "/").prepared().body
        #expect(body.length == nil)
        #expect(body.isReplayable)
        for _ in 0..<2 { #expect(try decoded(await body.collect(upTo: 1 << 20)) == content) }
        let empty = try api.post(.chunks(Pieces(pieces: [])).compressed(.gzip), to: "/").prepared().body
        #expect(try decoded(await empty.collect(upTo: 1 << 20)).isEmpty)
    }

    @Test("A compressed sequence keeps its trailers")
    func trailers() throws {
        let body = BodyProvider.chunks(Pieces(pieces: [])) { ["X-Sum": "1"] }
        let compressed = try api.post(body.compressed(.gzip), to: "/").prepared().body
        #expect(try compressed.trailers?() == ["X-Sum": "1"])
    }

    @Test("No body stays none, an encoded one gets another coding, and a file is rejected")
    func others() throws {
        let none = try api.post(.none.compressed(.gzip), to: "/").prepared()
        #expect(none.body.isNone && none.header[.contentEncoding] == nil)
        let twice = try api.post(.text("a").compressed(.deflate).compressed(.gzip), to: "/").prepared()
        #expect(twice.header[.contentEncoding] == "deflate,gzip")
        let file = api.post(.file(URL(filePath: #filePath)).compressed(.gzip), to: "/")
        let error = #expect(throws: RequestError.self) { try file.prepared() }
        #expect(error?.code == .unsupportedBody)
    }
}

private struct Pieces: AsyncSequence, Sendable {
    let pieces: [Data]

    func makeAsyncIterator() -> Iterator { Iterator(pieces: pieces[...]) }

    struct Iterator: AsyncIteratorProtocol {
        var pieces: ArraySlice<Data>

        mutating func next() async -> Data? { pieces.popFirst() }
    }
}
