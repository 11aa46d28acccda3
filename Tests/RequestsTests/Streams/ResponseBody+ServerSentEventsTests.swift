import RequestsTestSupport
import RequestsTesting
import Testing

@Suite("Server-sent events of a body", .timeLimit(.minutes(5)))
struct ResponseBodyServerSentEventsTests {
    /// Shows events by their data in the log of a test.
    struct Events: Sendable, ExpressibleByArrayLiteral, CustomTestStringConvertible {
        let all: [ServerSentEvent]

        init(arrayLiteral events: ServerSentEvent...) { all = events }

        var testDescription: String { "\(all.map(\.data))" }
    }

    private func check(_ stream: String, _ events: [ServerSentEvent]) async {
        for end in ["\n", "\r", "\r\n"] {
            for chunks in Data(stream.replacing("\n", with: end).utf8).cuts {
                let (elements, error) = await ResponseBody(chunks: chunks).serverSentEvents.elements()
                #expect(elements == events, "\(chunks.map(Array.init))")
                #expect(error == nil)
            }
        }
    }

    @Test(
        "The specification's examples are parsed with each line end, however the bytes are cut",
        arguments: [
            ("data: YHOO\ndata: +2\ndata: 10\n\n", [ServerSentEvent(data: "YHOO\n+2\n10")]),
            (
                ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n",
                [
                    ServerSentEvent(data: "first event", id: "1"), ServerSentEvent(data: "second event"),
                    ServerSentEvent(data: " third event"),
                ]
            ),
            ("data\n\ndata\ndata\n\ndata:", [ServerSentEvent(data: ""), ServerSentEvent(data: "\n")]),
            ("data:test\n\ndata: test\n\n", [ServerSentEvent(data: "test"), ServerSentEvent(data: "test")]),
            (
                "event: add\ndata: 73857293\n\nevent: remove\ndata: 2153\n\n",
                [ServerSentEvent(event: "add", data: "73857293"), ServerSentEvent(event: "remove", data: "2153")]
            ),
        ] as [(SampleText, Events)]
    )
    func examples(stream: SampleText, events: Events) async {
        await check(stream.text, events.all)
    }

    @Test(
        "Each field follows its rules",
        arguments: [
            // Only the first byte order mark is skipped.
            ("\u{FEFF}data:a\n\n", [ServerSentEvent(data: "a")]),
            ("\u{FEFF}\u{FEFF}data:a\n\ndata:b\n\n", [ServerSentEvent(data: "b")]),
            ("\n\u{FEFF}data:a\n\n", []),
            // Incomplete events and lines are discarded.
            ("data:a\n", []), ("data:a", []), ("data:a\n\ndata:b\n", [ServerSentEvent(data: "a")]),
            // An event without data is dropped, and its type isn't kept.
            ("event:x\n\ndata:a\n\n", [ServerSentEvent(data: "a")]),
            ("event:x\ndata:a\n\ndata:b\n\n", [ServerSentEvent(event: "x", data: "a"), ServerSentEvent(data: "b")]),
            ("event:x\nevent\ndata:a\n\n", [ServerSentEvent(data: "a")]),
            // An identifier is valid for all later events, even if its own has no data.
            ("id:1\ndata:a\n\ndata:b\n\n", [ServerSentEvent(data: "a", id: "1"), ServerSentEvent(data: "b", id: "1")]),
            ("id:1\n\ndata:a\n\n", [ServerSentEvent(data: "a", id: "1")]),
            ("id:1\nid:2\0\ndata:a\n\n", [ServerSentEvent(data: "a", id: "1")]),
            // `retry` accepts only digits, and is limited to a century.
            ("retry:1500\ndata:a\n\n", [ServerSentEvent(data: "a", retry: .milliseconds(1500))]),
            ("retry:0\ndata:a\n\n", [ServerSentEvent(data: "a", retry: .zero)]),
            ("retry:5\n\ndata:a\n\n", [ServerSentEvent(data: "a", retry: .milliseconds(5))]),
            (
                "retry:5\nretry:-6\nretry:6.5\nretry:6s\nretry:\nretry:٦\nretry\ndata:a\n\n",
                [ServerSentEvent(data: "a", retry: .milliseconds(5))]
            ),
            (
                "retry:99999999999999999999999999\ndata:a\n\n",
                [ServerSentEvent(data: "a", retry: .seconds(100 * 366 * 86_400))]
            ),
            // Comments, unknown names, colons and spaces.
            (":\n:data:a\ndata:b\n:\n\n", [ServerSentEvent(data: "b")]),
            ("Data:a\n data:b\ndata :c\nother:d\nother\n\n", []),
            ("data::a: b \n\n", [ServerSentEvent(data: ":a: b ")]),
            ("data:\u{9}a\0\n\n", [ServerSentEvent(data: "\u{9}a\0")]),
            ("event: ä\ndata: €😀\n\n", [ServerSentEvent(event: "ä", data: "€😀")]),
        ] as [(SampleText, Events)]
    )
    func rules(stream: SampleText, events: Events) async {
        await check(stream.text, events.all)
    }

    @Test("Invalid UTF-8 becomes U+FFFD")
    func repaired() async {
        for chunks in Data([0x64, 0x61, 0x74, 0x61, 0x3A, 0xE2, 0x82, 0x0A, 0x0A]).cuts {
            #expect(await ResponseBody(chunks: chunks).serverSentEvents.elements().elements.map(\.data) == ["\u{FFFD}"])
        }
    }

    @Test(
        "An event's data and each line have a limit",
        arguments: [
            ("data:12\ndata:34\ndata:56\n\n", ["12\n34\n56"], false),
            ("data:1\n\ndata:12\ndata:34\ndata:567\n", ["1"], true),
            ("data:1\n\ndata:123456789\n\n", ["1"], true),
            ("data:1\n\n:123456789", ["1"], true),
            ("data:1\n:1234567\n:1234567\n:1234567\n\n", ["1"], false),
        ]
    )
    func limit(stream: String, data: [String], isTooLarge: Bool) async {
        for chunks in Data(stream.utf8).cuts {
            let (events, error) = await ResponseBody(chunks: chunks).serverSentEvents(upTo: 8).elements()
            #expect(events.map(\.data) == data)
            #expect((error as? TransportError)?.code == (isTooLarge ? .tooLarge : nil))
        }
    }

    @Test("An event is returned as soon as its empty line arrives")
    func atOnce() async throws {
        let (stream, continuation) = AsyncStream<Data>.makeStream()
        var events = ResponseBody(stream).serverSentEvents.makeAsyncIterator()
        for (chunk, data) in [("data:a\r\r", "a"), ("\ndata:b\r\n\r", "b"), ("\ndata:c\n\n", "c")] {
            continuation.yield(Data(chunk.utf8))
            #expect(try await events.next()?.data == data)
        }
    }
}
