#if FullFoundation
import Foundation
import Requests

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The error of `URLSession.perform`, with the request and the response.
public struct RequestTransportError: Error, Sendable {
    /// The original error.
    public let underlyingError: any Error

    /// The request. `nil` if it couldn't be built, in which case nothing was sent.
    public let request: URLRequest?

    /// The response that arrived before the error. `nil` if there was none.
    ///
    /// On Linux it is always `nil` if the session fails, for example because of an incomplete body.
    public let response: URLResponse?

    /// The response as an HTTP response. `nil` if there was none or it isn't HTTP.
    public var httpResponse: HTTPURLResponse? { response as? HTTPURLResponse }

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - underlyingError: The original error.
    ///   - request: The request. `nil` if it couldn't be built.
    ///   - response: The response that arrived before the error. `nil` if there was none.
    public init(underlyingError: any Error, request: URLRequest?, response: URLResponse?) {
        self.underlyingError = underlyingError
        self.request = request
        self.response = response
    }
}

extension RequestTransportError: RedactedError {
    /// The error in one line, with sensitive query values redacted.
    public var description: String {
        guard let request else { return "the request couldn't be built: \(reason)" }
        // These errors already name the URL, which differs from the request's after a redirect.
        if underlyingError is TransportError || underlyingError is ResponseError { return reason }
        let status = httpResponse.map { " returned \($0.statusCode)" } ?? ""
        return "\(RequestTransportError.subject(request))\(status): \(reason)"
    }

    /// The error's localized description. Not its `description`, which for Foundation's errors contains URLs.
    private var reason: String {
        underlyingError.localizedDescription.split(whereSeparator: \.isNewline).joined(separator: " ")
    }

    /// The method and the URL, with sensitive query values redacted.
    static func subject(_ request: URLRequest) -> String {
        let text = request.url?.absoluteString ?? ""
        let url = (try? RequestURL(text))?.description ?? Redaction.quotedURL(text)
        return "\(request.httpMethod ?? "GET") \(url)"
    }
}
#endif
