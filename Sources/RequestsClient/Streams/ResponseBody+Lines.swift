import Requests

extension ResponseBody {
    /// The lines of the text, as they arrive. A line may have up to 1 MiB.
    ///
    /// ```swift
    /// for try await line in response.content.lines { print(line) }
    /// ```
    ///
    /// Behaves like ``lines(upTo:)``.
    public var lines: some AsyncSequence<String, any Error> & Sendable {
        lines(upTo: 1 << 20)
    }

    /// Returns the lines of the text, as they arrive.
    ///
    /// Lines end with LF, CR or CRLF, which they don't include. The last line doesn't need an end. Bytes that aren't
    /// UTF-8 become U+FFFD. Each line can be read once, because all iterators share the body's position.
    ///
    /// The sequence throws the errors of the body, and `TransportError.Code.tooLarge` if a line is too long. An error
    /// ends the sequence and cancels the body.
    ///
    /// - Parameter maximumBytes: The maximum length of a line without its end, in bytes.
    public func lines(upTo maximumBytes: Int) -> some AsyncSequence<String, any Error> & Sendable {
        ParsedBody(body: self, parser: TextLineParser(lines: LineParser(upTo: maximumBytes)))
    }
}
