import Foundation
import Requests

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A performed request that failed: the error, with the request and the response that it is about.
public struct RequestTransportError: Error, Sendable {
    /// The error that made the request fail, as it was thrown or reported.
    public let underlyingError: any Error

    /// The request; `nil` when it could not be built, so that nothing was sent.
    public let request: URLRequest?

    /// The response that came before the error; `nil` when there was none.
    ///
    /// On Linux the session keeps none for an error of its own, such as a body that ends too early.
    public let response: URLResponse?

    /// The response as one of HTTP; `nil` when there was none, or one of another kind.
    public var httpResponse: HTTPURLResponse? { response as? HTTPURLResponse }

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - underlyingError: The error that made the request fail.
    ///   - request: The request; `nil` when it could not be built.
    ///   - response: The response that came before the error; `nil` when there was none.
    public init(underlyingError: any Error, request: URLRequest?, response: URLResponse?) {
        self.underlyingError = underlyingError
        self.request = request
        self.response = response
    }
}

extension RequestTransportError: CustomStringConvertible, CustomDebugStringConvertible, LocalizedError {
    /// What failed, on what and why, in one line, sensitive query values hidden.
    public var description: String {
        guard let request else { return "the request could not be built: \(reason)" }
        // These say themselves on what they failed, and after a redirect they know it better.
        if underlyingError is TransportError || underlyingError is ResponseError { return reason }
        let status = httpResponse.map { " answered \($0.statusCode)" } ?? ""
        return "\(RequestTransportError.subject(request))\(status): \(reason)"
    }

    /// The same as ``description``: request and response may hold secrets.
    public var debugDescription: String { description }

    /// The same as ``description``.
    public var errorDescription: String? { description }

    /// What the error says to people. Its description may show all that it holds: URLs, in Foundation's errors.
    private var reason: String {
        underlyingError.localizedDescription.split(whereSeparator: \.isNewline).joined(separator: " ")
    }

    /// Method and URL, sensitive query values hidden.
    static func subject(_ request: URLRequest) -> String {
        let text = request.url?.absoluteString ?? ""
        let url = (try? RequestURL(text))?.description ?? Redaction.quotedURL(text)
        return "\(request.httpMethod ?? "GET") \(url)"
    }
}
