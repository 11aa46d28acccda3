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

    /// - Parameter rest: What is left of the template, from the brace on that has no other.
    init(unbalanced rest: Substring) {
        let reason = rest.first == "{" ? "has no end" : "has no start"
        self.expression = String(rest.dropFirst().prefix(40))
        self.message = "the expression at \(Redaction.quoted(String(rest.prefix(40)))) \(reason)"
    }
}

extension URITemplateError: CustomStringConvertible, LocalizedError {
    /// What is wrong.
    public var description: String { "invalidTemplate: \(message)" }

    /// The same as ``description``.
    public var errorDescription: String? { description }
}
