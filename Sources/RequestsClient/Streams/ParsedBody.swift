import Requests

extension ResponseBody {
    /// The events of a `text/event-stream`, as they arrive. An event may have up to 1 MiB.
    ///
    /// ```swift
    /// for try await event in response.content.serverSentEvents {
    ///     print(event.event, event.data)
    /// }
    /// ```
    ///
    /// Behaves like ``serverSentEvents(upTo:)``.
    public var serverSentEvents: some AsyncSequence<ServerSentEvent, any Error> & Sendable {
        serverSentEvents(upTo: 1 << 20)
    }

    /// Returns the events of a `text/event-stream`, as they arrive.
    ///
    /// The sequence ends with the body. Use ``Client/events(for:lastEventID:retries:upTo:)`` to reconnect. An
    /// incomplete event at the end is discarded. The status and `Content-Type` aren't checked.
    ///
    /// The sequence throws the errors of the body, and `TransportError.Code.tooLarge` if an event is too large. An
    /// error ends the sequence and cancels the body.
    ///
    /// - Parameter maximumBytes: The maximum size of an event's data, and of a line, in bytes.
    ///
    /// Specification: WHATWG HTML §9.2.6.
    public func serverSentEvents(
        upTo maximumBytes: Int
    ) -> some AsyncSequence<ServerSentEvent, any Error> & Sendable {
        ParsedBody(body: self, parser: ServerSentEventParser(upTo: maximumBytes))
    }
}

extension ResponseBody {
    /// The lines of the text, as they arrive. A line may have up to 1 MiB.
    ///
    /// ```swift
    /// for try await line in response.content.lines { print(line) }
    /// ```
    ///
    /// Behaves like ``lines(upTo:)``.
    public var lines: some AsyncSequence<String, any Error> & Sendable { lines(upTo: 1 << 20) }

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

extension Response<ResponseBody> {
    /// The values of a body of newline-delimited JSON, as they arrive.
    ///
    /// ```swift
    /// for try await user in response.jsonLines(of: User.self) { print(user.name) }
    /// ```
    ///
    /// Each line contains one value. Blank lines are skipped. The sequence throws the errors of
    /// ``ResponseBody/lines(upTo:)``, and `ResponseError.Code.decoding` with the line if it can't be decoded. An error
    /// ends the sequence and cancels the body.
    ///
    /// - Parameters:
    ///   - type: The type of the values. Default: inferred from the call site.
    ///   - decoder: The decoder. Must not be changed afterwards. Default: a plain `JSONDecoder()`.
    ///   - maximumBytes: The maximum length of a line without its end, in bytes. Default: 1 MiB.
    public func jsonLines<Value: Decodable & Sendable>(
        of type: Value.Type = Value.self,
        decoder: JSONDecoder = JSONCoders.standard.decoder,
        upTo maximumBytes: Int = 1 << 20
    ) -> some AsyncSequence<Value, any Error> & Sendable {
        ParsedBody(
            body: content,
            parser: JSONLineParser<Value>(lines: LineParser(upTo: maximumBytes), decoder: decoder, head: head)
        )
    }
}

/// The elements that a parser reads from a body, as they arrive.
struct ParsedBody<Parser: StreamParser>: AsyncSequence, Sendable {
    let body: ResponseBody
    let parser: Parser

    func makeAsyncIterator() -> Iterator { Iterator(body: body, parser: parser) }

    struct Iterator: AsyncIteratorProtocol {
        private enum Phase {
            case reading
            case ending
            case over
        }

        private let body: ResponseBody
        private let chunks: ResponseBody.AsyncIterator
        private(set) var parser: Parser
        private var phase = Phase.reading

        init(body: ResponseBody, parser: Parser) {
            self.body = body
            self.chunks = body.makeAsyncIterator()
            self.parser = parser
        }

        // Runs on the caller's actor, because a change of actor costs more than parsing most elements.
        mutating func next(isolation actor: isolated (any Actor)? = #isolation) async throws -> Parser.Element? {
            do {
                while phase != .over {
                    if let element = try parser.next() { return element }
                    if phase == .ending {
                        phase = .over
                    } else if let chunk = try await chunks.next() {
                        parser.append(chunk)
                    } else {
                        parser.finish()
                        phase = .ending
                    }
                }
                return nil
            } catch {
                phase = .over
                body.cancel()
                throw error
            }
        }
    }
}
