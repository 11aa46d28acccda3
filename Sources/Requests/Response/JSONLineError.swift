import Foundation

/// An error for a line of newline-delimited JSON that can't be decoded.
public struct JSONLineError: Error, Sendable {
    /// The line's number, starting at 1. Blank lines count.
    public let line: Int

    /// The line without its end.
    public let data: Data

    /// What is wrong and where, in one line, without the value.
    public let message: String

    /// The error of the decoder.
    public let underlying: any Error

    init(line: Int, data: Data, type: any Any.Type, underlying: any Error) {
        self.line = line
        self.data = data
        self.message =
            "Line \(line) isn't the JSON of \(ResponseError.typeName(type)): \(ResponseError.reason(of: underlying))."
        self.underlying = underlying
    }
}

extension JSONLineError: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable, LocalizedError {
    /// The message.
    public var description: String { message }

    /// The same as ``description``, because the line may contain secrets.
    public var debugDescription: String { description }

    /// The same as ``description``.
    public var errorDescription: String? { description }

    /// The message only.
    public var customMirror: Mirror { Mirror(self, children: ["message": message]) }
}
