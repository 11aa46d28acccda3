import Foundation

extension URL {
    /// Creates a URL from a literal.
    ///
    /// ```swift
    /// let baseURL = URL("https://api.example.com")
    /// ```
    ///
    /// A literal that Foundation does not read as a URL becomes an empty path, which every build of a request refuses
    /// with ``InvalidRequestURLError``.
    public init(_ literal: StaticString) {
        self = URL(string: literal.description) ?? URL(filePath: "")
    }
}
