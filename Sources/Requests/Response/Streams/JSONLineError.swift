import Foundation

/// A line of newline-delimited JSON that is not what was asked for.
public struct JSONLineError: Error, Sendable {
    /// The line's number, from 1, blank lines included.
    public let line: Int

    /// The line, without its end.
    public let data: Data

    /// What is wrong, in one line: where in the value the decoder stopped, without the value itself.
    public let message: String

    /// The error of the decoder.
    public let underlying: any Error

    init(line: Int, data: Data, type: any Any.Type, underlying: any Error) {
        self.line = line
        self.data = data
        self.message =
            "line \(line) is not the JSON of \(ResponseError.withArticle(type)): \(ResponseError.reason(of: underlying))"
        self.underlying = underlying
    }
}

extension JSONLineError: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable, LocalizedError {
    /// The message.
    public var description: String { message }

    /// The same as ``description``: the line may hold secrets.
    public var debugDescription: String { description }

    /// The same as ``description``.
    public var errorDescription: String? { description }

    /// The message alone.
    public var customMirror: Mirror { Mirror(self, children: ["message": message]) }
}
