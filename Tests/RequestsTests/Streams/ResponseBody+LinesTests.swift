import RequestsClient
import Testing

@Suite("Lines of a body", .timeLimit(.minutes(5)))
struct ResponseBodyLinesTests {
    @Test(
        "Lines end with LF, CR or CRLF, however the bytes are cut",
        arguments: [
            ("", []),
            ("a", ["a"]),
            ("a\n", ["a"]),
            ("a\nb", ["a", "b"]),
            ("a\r\nb\r\n", ["a", "b"]),
            ("a\rb\r", ["a", "b"]),
            ("\n", [""]),
            ("\r\n", [""]),
            ("\n\r", ["", ""]),
            ("\r\r\n\n", ["", "", ""]),
            ("a\n\n\nb", ["a", "", "", "b"]),
            ("a\r\n\r\nb\rc\nd", ["a", "", "b", "c", "d"]),
            (" a \u{2028}b\u{B}c\u{85}d\n", [" a \u{2028}b\u{B}c\u{85}d"]),
            ("\u{FEFF}ä\n€\r😀", ["\u{FEFF}ä", "€", "😀"]),
        ]
    )
    func ends(text: String, lines: [String]) async {
        for chunks in Data(text.utf8).cuts {
            let (elements, error) = await ResponseBody(chunks: chunks).lines.elements()
            #expect(elements == lines, "\(chunks.map(Array.init))")
            #expect(error == nil)
        }
    }

    @Test(
        "Invalid UTF-8 becomes U+FFFD",
        arguments: [
            ([0xFF, 0x0A, 0x61], ["\u{FFFD}", "a"]),
            ([0x61, 0xE2, 0x82, 0x0A, 0xAC], ["a\u{FFFD}", "\u{FFFD}"]),
            ([0xC3, 0x28, 0x0D, 0xF0, 0x9F], ["\u{FFFD}(", "\u{FFFD}"]),
        ] as [([UInt8], [String])]
    )
    func repaired(bytes: [UInt8], lines: [String]) async {
        for chunks in Data(bytes).cuts {
            #expect(await ResponseBody(chunks: chunks).lines.elements().elements == lines)
        }
    }

    @Test(
        "A line above the limit throws, and its end doesn't count",
        arguments: [
            ("abc\ndef\r\nghi", ["abc", "def", "ghi"], false),
            ("abc\nabcd\nabc", ["abc"], true),
            ("abc\nabcd", ["abc"], true),
            ("abcdefgh", [], true),
        ]
    )
    func limit(text: String, lines: [String], isTooLong: Bool) async {
        for chunks in Data(text.utf8).cuts {
            let (elements, error) = await ResponseBody(chunks: chunks).lines(upTo: 3).elements()
            #expect(elements == lines)
            #expect((error as? TransportError)?.code == (isTooLong ? .tooLarge : nil))
        }
    }

    @Test("The default limit of a line is 1 MiB")
    func defaultLimit() async {
        let line = Data(repeating: 0x61, count: 1 << 20)
        #expect(await ResponseBody(chunks: [line, Data("\n".utf8)]).lines.elements().error == nil)
        let error = await ResponseBody(chunks: [line, Data("a".utf8)]).lines.elements().error
        #expect(
            (error as? TransportError)?.message
                == "a line of the response body is larger than 1048576 bytes; raise the limit with upTo:"
        )
    }

    @Test("A line above the limit cancels the body before the rest arrives, and ends the sequence")
    func cancelsBody() async throws {
        let canceled = Recorder<Void>()
        let (stream, continuation) = AsyncStream<Data>.makeStream()
        continuation.yield(Data("a\nabcd".utf8))
        var lines = ResponseBody(stream, onCancel: { canceled.record() }).lines(upTo: 3).makeAsyncIterator()
        #expect(try await lines.next() == "a")
        #expect(canceled.count == 0)
        do {
            Issue.record("\(String(describing: try await lines.next())) is not an error")
        } catch {
            #expect((error as? TransportError)?.code == .tooLarge)
        }
        #expect(canceled.count == 1)
        #expect(try await lines.next() == nil)
    }

    @Test("A line is returned as soon as its end arrives, also a CR that may be part of CRLF")
    func atOnce() async throws {
        let (stream, continuation) = AsyncStream<Data>.makeStream()
        var lines = ResponseBody(stream).lines.makeAsyncIterator()
        for (chunk, line) in [("a\r", "a"), ("\nb\n", "b"), ("c\r", "c"), ("\r", "")] {
            continuation.yield(Data(chunk.utf8))
            #expect(try await lines.next() == line)
        }
    }

    @Test("Lines before an error are returned, and an incomplete one isn't")
    func failure() async throws {
        let broken = TransportError(code: .truncated, message: "broken", phase: .receiving)
        let body = ResponseBody(chunks: [Data("a\nb".utf8)], failure: broken)
        let (elements, error) = await body.lines.elements()
        #expect(elements == ["a"])
        #expect((error as? TransportError)?.code == .truncated)
    }

    @Test("Dropping the sequence frees the connection")
    func dropped() async throws {
        let canceled = Recorder<Void>()
        let (stream, continuation) = AsyncStream<Data>.makeStream()
        continuation.yield(Data("a\nb\n".utf8))
        for try await line in ResponseBody(stream, onCancel: { canceled.record() }).lines {
            #expect(line == "a")
            break
        }
        #expect(canceled.count == 1)
    }
}
