/// A request method.
///
/// Methods are case-sensitive. Write other methods as literals, such as `"PURGE"`, or add them as static members. If a
/// method isn't a token, building the request throws ``RequestError/Code/invalidMethod``.
///
/// Specification: RFC 9110 §9, RFC 5789 (`PATCH`), RFC 10008 (`QUERY`).
public struct HTTPMethod: RawRepresentable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible, Sendable {
    /// The method as it is sent.
    public let rawValue: String

    /// Creates a method.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Creates a method from a literal.
    public init(stringLiteral value: String) { self.rawValue = value }

    /// The method as it is sent.
    public var description: String { rawValue }

    /// Whether the method only reads (RFC 9110 §9.2.1).
    public var isSafe: Bool { [.get, .head, .options, .trace, .query].contains(self) }

    /// Whether repeating a request has the same effect as sending it once (RFC 9110 §9.2.2).
    public var isIdempotent: Bool { isSafe || self == .put || self == .delete }

    package func validate() throws(RequestError) {
        guard rawValue == "GET" || rawValue == "POST" || ASCII.isToken(rawValue) else {
            throw RequestError(
                code: .invalidMethod,
                subject: rawValue,
                message: "The method \(Redaction.quoted(rawValue)) isn't a token. Use letters, digits and -."
            )
        }
    }
}

extension HTTPMethod {
    /// `CONNECT` (RFC 9110 §9.3.6).
    public static let connect: HTTPMethod = "CONNECT"
    /// `DELETE` (RFC 9110 §9.3.5).
    public static let delete: HTTPMethod = "DELETE"
    /// `GET` (RFC 9110 §9.3.1).
    public static let get: HTTPMethod = "GET"
    /// `HEAD` (RFC 9110 §9.3.2).
    public static let head: HTTPMethod = "HEAD"
    /// `OPTIONS` (RFC 9110 §9.3.7).
    public static let options: HTTPMethod = "OPTIONS"
    /// `PATCH` (RFC 5789).
    public static let patch: HTTPMethod = "PATCH"
    /// `POST` (RFC 9110 §9.3.3).
    public static let post: HTTPMethod = "POST"
    /// `PUT` (RFC 9110 §9.3.4).
    public static let put: HTTPMethod = "PUT"
    /// `QUERY`, a safe request with a body (RFC 10008).
    public static let query: HTTPMethod = "QUERY"
    /// `TRACE` (RFC 9110 §9.3.8).
    public static let trace: HTTPMethod = "TRACE"
}
