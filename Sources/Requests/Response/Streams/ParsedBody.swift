/// What a parser makes of a body, as it arrives.
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
        private(set) var parser: Parser
        private var phase = Phase.reading

        init(body: ResponseBody, parser: Parser) {
            self.body = body
            self.parser = parser
        }

        // On the caller's actor: there may be millions of elements, and a change of actor costs more than most.
        mutating func next(isolation actor: isolated (any Actor)? = #isolation) async throws -> Parser.Element? {
            do {
                while phase != .over {
                    if let element = try parser.next() { return element }
                    if phase == .ending {
                        phase = .over
                    } else if let chunk = try await body.makeAsyncIterator().next() {
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
