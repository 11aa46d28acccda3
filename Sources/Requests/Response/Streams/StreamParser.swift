import Foundation

/// Makes elements of bytes that come in chunks; where one chunk ends and the next begins means nothing.
protocol StreamParser<Element>: Sendable {
    associatedtype Element: Sendable

    /// Takes the next bytes. Those before are used up: ``next()`` has given `nil`.
    mutating func append(_ chunk: Data)

    /// Says that there are no more bytes.
    mutating func finish()

    /// - Returns: The next element; `nil` when there is none in the bytes so far.
    mutating func next() throws -> Element?
}
