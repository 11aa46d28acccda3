import Foundation

extension URL {
    /// Creates a URL from a literal.
    ///
    /// ```swift
    /// let baseURL = URL("https://api.example.com")
    /// ```
    ///
    /// A literal that Foundation does not read as a URL becomes one that every build of a request refuses with
    /// ``InvalidRequestURLError``.
    public init(_ literal: StaticString) {
        let text = literal.description
        // With what is wrong encoded the error can say what it is.
        let encoded = PercentEncoding.encoded(text, keeping: PercentEncoding.urlLiteral)
        self = URL(string: text) ?? URL(string: encoded) ?? URL(string: "./\(encoded)") ?? URL(filePath: "")
    }
}
