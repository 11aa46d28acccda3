import Foundation

/// A URI template that cannot be read, or that the given values do not fit.
public struct URITemplateError: Error, Hashable, Sendable {
    /// The expression that is at fault, without its braces.
    public let expression: String

    /// What is wrong, in one line.
    public let message: String

    init(_ expression: some StringProtocol, _ reason: String) {
        self.expression = String(expression)
        self.message = "the expression \(Redaction.quoted("{\(expression)}")) \(reason)"
    }
}

extension URITemplateError: CustomStringConvertible, LocalizedError {
    /// What is wrong.
    public var description: String { "invalidTemplate: \(message)" }

    /// The same as ``description``.
    public var errorDescription: String? { description }
}
