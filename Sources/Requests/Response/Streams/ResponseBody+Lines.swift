import Foundation

extension ResponseBody {
    /// The text line by line, as it arrives; a line has at most 1 MiB.
    ///
    /// ```swift
    /// for try await line in response.content.lines { print(line) }
    /// ```
    ///
    /// As ``lines(upTo:)``.
    public var lines: some AsyncSequence<String, any Error> & Sendable {
        lines(upTo: 1 << 20)
    }

    /// The text line by line, as it arrives.
    ///
    /// Lines end with LF, CR or CRLF, which are not part of them; the last one needs no end. Bytes that are not UTF-8
    /// become U+FFFD. What a reading has taken from the body is gone for the next.
    ///
    /// The sequence throws what the body throws, and ``TransportError/Code/tooLarge`` as soon as a line is too long.
    /// An error ends it and gives up the body.
    ///
    /// - Parameter maximumBytes: How long a line may be, in bytes, its end apart.
    public func lines(upTo maximumBytes: Int) -> some AsyncSequence<String, any Error> & Sendable {
        ParsedBody(body: self, parser: TextLineParser(lines: LineParser(upTo: maximumBytes)))
    }
}

/// Makes text of lines.
struct TextLineParser: StreamParser {
    var lines: LineParser

    mutating func append(_ chunk: Data) { lines.append(chunk) }

    mutating func finish() { lines.finish() }

    mutating func next() throws(TransportError) -> String? {
        try lines.next().map { String(decoding: $0, as: UTF8.self) }
    }
}
