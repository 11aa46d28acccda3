import Requests

/// The elements that a parser reads from a body, as they arrive.
struct ParsedBody<Parser: StreamParser>: AsyncSequence, Sendable {
    let body: ResponseBody
    let parser: Parser

    func makeAsyncIterator() -> Iterator {
        Iterator(body: body, parser: parser)
    }

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
