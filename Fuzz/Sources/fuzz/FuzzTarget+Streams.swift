import Foundation

@testable import Requests

extension FuzzTarget {
    static let streams = [
        FuzzTarget("lines", seeds: [["\u{3}", "a\r\nb\nc\rd"], ["", "\r\r\n\n"], ["\u{1}\u{2}", "é\r"]]) { input in
            try equalInAllChunks(&input) {
                LineParser(upTo: 64)
            } element: {
                Data($0)
            }
        },
        FuzzTarget(
            "events",
            seeds: [
                ["\u{5}", "\u{FEFF}data: a\ndata:b\nid: 1\nevent: c\nretry: 10\n\n:d\n\n"], ["", "data\n\nid:\0\n\n"],
            ]
        ) { input in
            try equalInAllChunks(&input) {
                ServerSentEventParser(upTo: 64)
            } element: {
                Data("\($0.event) \($0.data) \($0.id) \(String(describing: $0.retry))".utf8)
            }
        },
        FuzzTarget("json-lines", seeds: [["\u{2}", "{\"a\":1}\n\n[2]\r\n3"], ["", "1\n{"]]) { input in
            let head = try ResponseHead(statusCode: 200, url: try RequestURL("https://a/"))
            try equalInAllChunks(&input) {
                JSONLineParser<JSONValue>(lines: LineParser(upTo: 64), decoder: JSONDecoder(), head: head)
            } element: {
                Data("\($0)".utf8)
            }
        },
    ]

    /// Checks that the elements don't depend on where chunks end.
    private static func equalInAllChunks<Parser: StreamParser>(
        _ input: inout FuzzInput,
        _ makeParser: () -> Parser,
        element: (Parser.Element) -> Data
    ) throws {
        let sizes = input.bytes().map { Int($0) + 1 }
        let data = input.remainder()
        let whole = elements(of: [data], makeParser(), element)
        var (chunks, rest, index) = ([Data](), data[...], 0)
        while !rest.isEmpty {
            chunks.append(rest.prefix(sizes.isEmpty ? 1 : sizes[index % sizes.count]))
            rest = rest.dropFirst(chunks.last?.count ?? 1)
            index += 1
        }
        let pieces = elements(of: chunks, makeParser(), element)
        // A line that is too long is noticed with the first chunk that has too many bytes.
        let isEqual = whole.isComplete && pieces.isComplete ? whole.elements == pieces.elements : true
        require(isEqual && whole.isComplete == pieces.isComplete, "the elements don't depend on the chunks")
    }

    private static func elements<Parser: StreamParser>(
        of chunks: [Data],
        _ parser: Parser,
        _ element: (Parser.Element) -> Data
    ) -> (elements: [Data], isComplete: Bool) {
        var parser = parser
        var elements: [Data] = []
        do {
            for chunk in chunks {
                parser.append(chunk)
                while let next = try parser.next() { elements.append(element(next)) }
            }
            parser.finish()
            while let next = try parser.next() { elements.append(element(next)) }
            return (elements, true)
        } catch {
            return (elements, false)
        }
    }
}
