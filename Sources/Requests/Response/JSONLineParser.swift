/// Parses newline-delimited JSON of one response.
package struct JSONLineParser<Value: Decodable & Sendable>: StreamParser {
    private var lines: LineParser
    private let decoder: JSONDecoder
    private let head: ResponseHead
    private var number = 0

    package init(lines: LineParser, decoder: JSONDecoder, head: ResponseHead) {
        self.lines = lines
        self.decoder = decoder
        self.head = head
    }

    package mutating func append(_ chunk: Data) { lines.append(chunk) }

    package mutating func finish() { lines.finish() }

    package mutating func next() throws -> Value? {
        while let line = try lines.next() {
            number += 1
            if line.allSatisfy(\.isFieldWhitespace) { continue }
            let data = Data(line)
            do {
                return try decoder.decodeLimited(Value.self, from: data)
            } catch {
                throw ResponseError.line(number, of: Value.self, head, data, error)
            }
        }
        return nil
    }
}
