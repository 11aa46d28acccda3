import Requests

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
