import Foundation

/// Parses newline-delimited JSON.
package struct JSONLineParser<Value: Decodable & Sendable>: StreamParser {
    private var lines: LineParser
    private let decoder: JSONDecoder
    private var number = 0

    package init(lines: LineParser, decoder: JSONDecoder) {
        self.lines = lines
        self.decoder = decoder
    }

    package mutating func append(_ chunk: Data) { lines.append(chunk) }

    package mutating func finish() { lines.finish() }

    package mutating func next() throws -> Value? {
        while let line = try lines.next() {
            number += 1
            if line.allSatisfy(\.isFieldWhitespace) { continue }
            let data = Data(line)
            do {
                return try decoder.decode(Value.self, from: data)
            } catch {
                throw JSONLineError(line: number, data: data, type: Value.self, underlying: error)
            }
        }
        return nil
    }
}
