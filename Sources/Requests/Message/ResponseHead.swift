import Foundation

/// What comes before the body of a response.
public struct ResponseHead: Hashable, Sendable {
    /// The status code, 100…999.
    public let statusCode: Int

    /// The header, in the order of arrival where the transport keeps it.
    public var header: Header

    /// The URL that answered.
    public var url: RequestURL

    /// The version the server spoke; `nil` where the transport does not say.
    public var httpVersion: HTTPVersion?

    /// Creates a head.
    ///
    /// - Throws: ``RequestError/Code/invalidStatusCode``.
    public init(
        statusCode: Int,
        header: Header = [],
        url: RequestURL,
        httpVersion: HTTPVersion? = nil
    ) throws(RequestError) {
        guard (100...999).contains(statusCode) else {
            throw RequestError(
                code: .invalidStatusCode,
                culprit: String(statusCode),
                message: "\(statusCode) is not a status code; use three digits"
            )
        }
        self.statusCode = statusCode
        self.header = header
        self.url = url
        self.httpVersion = httpVersion
    }

    /// Creates a head.
    ///
    /// - Throws: ``RequestError/Code/invalidStatusCode``, or ``InvalidRequestURLError``.
    public init(statusCode: Int, header: Header = [], url: URL, httpVersion: HTTPVersion? = nil) throws {
        let url = try RequestURL(url.absoluteString)
        try self.init(statusCode: statusCode, header: header, url: url, httpVersion: httpVersion)
    }
}

extension ResponseHead: CustomStringConvertible {
    /// Status and URL, sensitive query values hidden.
    public var description: String { "\(statusCode) from \(url)" }
}

extension ResponseHead {
    /// How many bytes the body has by its framing (RFC 9112 §6.3); `nil` where only its end will tell.
    package func expectedBytes(to method: HTTPMethod) -> Int64? {
        if method == .head || statusCode == 204 || statusCode == 304 { return 0 }
        guard let lengths = header[.contentLength], !header.isChunked else { return nil }
        // Repeated lengths are the same: others were refused.
        return Int64(lengths) ?? lengths.split(separator: ",").first.flatMap { Int64($0) }
    }
}
