import Testing

@testable import RequestsCurl

@Suite("Chunked bodies", .timeLimit(.minutes(5)))
struct ChunkReaderTests {
    private struct Result: Equatable {
        var data = ""
        var trailers: [String] = []
        var hasSurplus = false
        var isAtEnd = false
    }

    /// Reads a body that comes in pieces of a size.
    private func read(_ body: String, inPiecesOf size: Int) throws -> Result {
        var reader = ChunkReader()
        var result = Result()
        let bytes = Array(body.utf8)
        for start in stride(from: 0, to: bytes.count, by: size) {
            try Array(bytes[start..<min(start + size, bytes.count)]).withUnsafeBytes { piece in
                var rest = piece[...]
                while let part = try reader.next(in: &rest) {
                    switch part {
                    case .data(let data): result.data += String(decoding: data, as: UTF8.self)
                    case .trailer(let line): result.trailers.append(String(decoding: line, as: UTF8.self))
                    case .surplus: result.hasSurplus = true
                    }
                }
            }
        }
        result.isAtEnd = reader.isAtEnd
        return result
    }

    @Test(
        "Chunks are joined, whatever pieces they arrive in",
        arguments: [
            "5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n", "05\r\nhello\r\n0000000000000006\r\n world\r\n000\r\n\r\n",
            "b\r\nhello world\r\n0\r\n\r\n", "B\r\nhello world\r\n0\r\n\r\n",
            "5 \r\nhello\r\n6\t \r\n world\r\n0 \r\n\r\n",
            "5;a\r\nhello\r\n6 ; a=\"b;\\\"c\"\r\n world\r\n0;x=y\r\n\r\n", "b;\u{E4}\r\nhello world\r\n0\r\n\r\n",
        ],
        [1, 2, 3, 7, 100]
    )
    func whole(body: String, size: Int) throws {
        let expected = Result(data: "hello world", trailers: ["\r\n"], isAtEnd: true)
        #expect(try read(body, inPiecesOf: size) == expected)
    }

    @Test("Lines of trailers are returned, and bytes after them are noticed", arguments: [1, 2, 3, 7, 100])
    func trailers(size: Int) throws {
        let body = "1\r\na\r\n0\r\nA: b\r\nC: d\n e\r\n\r\n"
        let lines = ["A: b\r\n", "C: d\n", " e\r\n", "\r\n"]
        #expect(try read(body, inPiecesOf: size) == Result(data: "a", trailers: lines, isAtEnd: true))
        let more = try read(body + "HTTP/1.1 200 OK", inPiecesOf: size)
        #expect(more == Result(data: "a", trailers: lines, hasSurplus: true, isAtEnd: true))
    }

    @Test(
        "An incomplete chunked body isn't at its end",
        arguments: ["", "5", "5\r\nhel", "5\r\nhello\r\n", "0\r\n", "0\r\nA: b\r\n"]
    )
    func cut(body: String) throws {
        #expect(try !read(body, inPiecesOf: 100).isAtEnd)
    }

    @Test(
        "A chunk size that another parser could read differently is rejected",
        arguments: [
            "\r\nhello\r\n", ";a\r\nhello\r\n", " 5\r\nhello\r\n", "5g\r\nhello\r\n", "5_0\r\nhello\r\n",
            "5.\r\nhello\r\n",
            "0x5\r\nhello\r\n", "+5\r\nhello\r\n", "-5\r\nhello\r\n", "5 5\r\nhello\r\n", "5\nhello\r\n",
            "5\rhello\r\n",
            "5;a\nhello\r\n", "5;a\rb\r\nhello\r\n", "5;\0\r\nhello\r\n", "5\r\nhello\n0\r\n\r\n",
            "5\r\nhello0\r\n\r\n",
            "5\r\nhello!\r\n0\r\n\r\n", "5\r\nhello\rX0\r\n\r\n", "8000000000000000\r\n",
            "10000000000000005\r\nhello\r\n",
            "00000000000000005\r\nhello\r\n",
        ],
        [1, 100]
    )
    func doubtful(body: String, size: Int) {
        #expect(throws: HeadFault.self) { try read(body, inPiecesOf: size) }
    }

    @Test("Overlong lines are rejected")
    func long() throws {
        let line = "5;" + String(repeating: "a", count: 20_000)
        #expect(throws: HeadFault.self) { try read(line, inPiecesOf: 1000) }
        let trailer = "0\r\nA: " + String(repeating: "a", count: 400_000)
        #expect(throws: HeadFault.self) { try read(trailer, inPiecesOf: 1000) }
    }
}
