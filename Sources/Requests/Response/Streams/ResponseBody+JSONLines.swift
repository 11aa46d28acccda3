import Foundation

extension ResponseBody {
    /// The values of newline-delimited JSON, as they arrive.
    ///
    /// ```swift
    /// for try await user in response.content.jsonLines(of: User.self) { print(user.name) }
    /// ```
    ///
    /// Each line holds one value; lines of spaces and tabs alone are passed over. The sequence throws what
    /// ``lines(upTo:)`` throws, and ``JSONLineError`` for a line that is no such value. An error ends it and gives up
    /// the body.
    ///
    /// - Parameters:
    ///   - type: The type of the values.
    ///   - decoder: The decoder, a plain `JSONDecoder()` by default. It must not be changed afterwards.
    ///   - maximumBytes: How long a line may be, in bytes, its end apart; 1 MiB by default.
    public func jsonLines<Value: Decodable & Sendable>(
        of type: Value.Type = Value.self,
        decoder: JSONDecoder = JSONCoders.standard.decoder,
        upTo maximumBytes: Int = 1 << 20
    ) -> some AsyncSequence<Value, any Error> & Sendable {
        ParsedBody(
            body: self,
            parser: JSONLineParser<Value>(lines: LineParser(upTo: maximumBytes), decoder: decoder)
        )
    }
}

/// Makes values of lines of JSON.
struct JSONLineParser<Value: Decodable & Sendable>: StreamParser {
    private var lines: LineParser
    private let decoder: JSONDecoder
    private var number = 0

    init(lines: LineParser, decoder: JSONDecoder) {
        self.lines = lines
        self.decoder = decoder
    }

    mutating func append(_ chunk: Data) { lines.append(chunk) }

    mutating func finish() { lines.finish() }

    mutating func next() throws -> Value? {
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
