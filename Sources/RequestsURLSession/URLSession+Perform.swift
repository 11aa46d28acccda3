import Foundation
import Requests

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension URLSession {
    /// Sends a request over this session, decodes the response and calls back on a queue.
    ///
    /// ```swift
    /// URLSession.shared.perform(api.get(json: User.self, from: "/user/1")) { result in
    ///     switch result {
    ///     case .success(let (response, user)): show(user, at: response.url)
    ///     case .failure(let error): show(error)
    ///     }
    /// }
    /// ```
    ///
    /// The session is used as it is: its delegate, redirects, cookies and cache apply. Without `validateResponse` every
    /// status is accepted. A resource of `Void` ignores the body, and its decoder is not run; an empty body is decoded
    /// like any other. The connect and the total timeout of the request's options have no place in a `URLRequest`.
    ///
    /// On Linux a task that is challenged for Basic authentication never ends unless the session's delegate answers
    /// or refuses the challenge, redirects carry `Authorization` to other hosts, and replies with trailers, and some
    /// malformed ones, end the process. A body that the session there would not send as it is, from a file or a stream, or without
    /// `Content-Type`, is refused. A `Client` over `CurlTransport` has none of these limits.
    ///
    /// A failure is a ``RequestTransportError`` around one of these:
    /// - `InvalidRequestURLError`, `RequestError` or the own error of a provider: the request cannot be built. An
    ///   asynchronous authentication provider is such a case; only a `Client` can run it.
    /// - `TransportError`: the session gave neither a response nor an error (`closed`), the response is not one of HTTP
    ///   (`malformed`), or the session cannot send the request (`unsupported`).
    /// - `ResponseError`: `validateResponse` returned `false` (`status`), or the body is not what the decoder reads
    ///   (`decoding`).
    /// - The own error of the session, of `validateResponse` or of the decoder.
    ///
    /// - Parameters:
    ///   - request: The request. It is built at once, where this is called.
    ///   - validateResponse: Whether a response is worth decoding, asked on `decodingQueue`; `nil`, the default, accepts
    ///     all.
    ///   - decodingQueue: Where the response is decoded; the global queue for work that the user waits for, by default.
    ///   - callbackQueue: Where the completion handler is called, whatever came of the request; the main queue by
    ///     default.
    ///   - configureTask: Receives the task before it is resumed: to keep it, for cancelling, or to set its priority.
    ///     It is not called when the request cannot be built. By default nothing is done.
    ///   - completionHandler: Receives the outcome, once.
    public func perform<R: RequestConvertible>(
        _ request: R,
        validateResponse: (@Sendable (HTTPURLResponse) throws -> Bool)? = nil,
        decodingQueue: DispatchQueue = .global(qos: .userInitiated),
        callbackQueue: DispatchQueue = .main,
        configureTask: (URLSessionTask) -> Void = { _ in },
        completionHandler: @escaping @Sendable (NetworkResult<R.Resource>) -> Void
    ) {
        let urlRequest: URLRequest
        do {
            let prepared = try request.prepared()
            try PlatformSession.refuseUnsupported(prepared)
            urlRequest = try URLRequest(prepared)
        } catch {
            let failure = RequestTransportError(underlyingError: error, request: nil, response: nil)
            return callbackQueue.async { completionHandler(.failure(failure)) }
        }
        let reading = ResponseReading(
            request: urlRequest,
            validateResponse: validateResponse,
            decoder: request.responseDecoder
        )
        let running = Guarded<URLSessionTask?>(nil)
        let task = dataTask(with: urlRequest) { data, response, error in
            // The first report is the only one, and lets go of the task, which holds this closure.
            guard let task = running.withLock({ $0.take() }) else { return }
            // An error can come without the response that was there before it.
            let response = response ?? task.response
            decodingQueue.async {
                let result = reading.result(data ?? Data(), response, error)
                callbackQueue.async { completionHandler(result) }
            }
        }
        running.withLock { $0 = task }
        configureTask(task)
        task.resume()
    }
}

/// What becomes of a task's report.
private struct ResponseReading<Resource: Sendable>: Sendable {
    let request: URLRequest
    let validateResponse: (@Sendable (HTTPURLResponse) throws -> Bool)?
    let decoder: ResponseDecoder<Resource>

    func result(_ data: Data, _ response: URLResponse?, _ error: (any Error)?) -> NetworkResult<Resource> {
        do {
            if let error { throw error }
            let httpResponse = try http(response)
            guard try validateResponse?(httpResponse) ?? true else { throw try rejection(of: httpResponse, data) }
            return .success((httpResponse, try resource(httpResponse, data)))
        } catch {
            return .failure(RequestTransportError(underlyingError: error, request: request, response: response))
        }
    }

    private func resource(_ response: HTTPURLResponse, _ data: Data) throws -> Resource {
        // The cast is for the compiler. Alone it would find `()` in an optional, too.
        if Resource.self == Void.self, let nothing = () as? Resource { return nothing }
        return try decoder.decode(head(of: response), data)
    }

    private func rejection(of response: HTTPURLResponse, _ data: Data) throws(TransportError) -> ResponseError {
        let head = try head(of: response)
        return ResponseError(
            code: .status,
            head: head,
            data: data,
            message: "\(head.url) answered \(head.statusCode) (\(data.count) bytes), which the validation rejects"
        )
    }

    private func http(_ response: URLResponse?) throws(TransportError) -> HTTPURLResponse {
        guard let response else { throw failed(.closed, "there was no response", phase: .sending) }
        guard let response = response as? HTTPURLResponse else { throw notHTTP() }
        return response
    }

    private func head(of response: HTTPURLResponse) throws(TransportError) -> ResponseHead {
        do {
            return try ResponseHead(response)
        } catch {
            throw notHTTP(error)
        }
    }

    private func notHTTP(_ error: (any Error)? = nil) -> TransportError {
        let detail = error.map { " (\($0))" } ?? ""
        return failed(.malformed, "the response is not one of HTTP\(detail)", phase: .receiving, underlying: error)
    }

    private func failed(
        _ code: TransportError.Code,
        _ reason: String,
        phase: TransportError.Phase,
        underlying: (any Error)? = nil
    ) -> TransportError {
        TransportError(
            code: code,
            message: "\(RequestTransportError.subject(request)): \(reason)",
            phase: phase,
            underlying: underlying
        )
    }
}
