#if FullFoundation
import Foundation
import Requests
import RequestsClient

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension URLSession {
    /// Sends a request over this session, decodes the response, and calls the completion handler.
    ///
    /// ```swift
    /// let ada = api.get(json: User.self, from: "/users/1")
    /// URLSession.shared.perform(ada) { result in
    ///     switch result {
    ///     case .success(let (response, user)): show(user, at: response.url)
    ///     case .failure(let error): show(error)
    ///     }
    /// }
    /// ```
    ///
    /// The session's delegate, redirects, cookies and cache apply. Without `validateResponse`, any status is accepted.
    /// If the resource is `Void`, the body is ignored and the decoder doesn't run. The connect and total timeouts of
    /// the request's options don't apply, because a `URLRequest` has none.
    ///
    /// On Linux, Foundation has serious faults: a task never ends after a basic authentication challenge that the
    /// session's delegate doesn't handle, redirects send `Authorization` to other hosts, and responses with trailers,
    /// and some malformed ones, crash the process. Bodies from a file or a stream, or without `Content-Type`, are
    /// rejected because the session would change them. A `Client` over `CurlTransport` has none of these limits.
    ///
    /// A failure is a ``RequestTransportError`` around one of these errors:
    /// - `RequestError` or a provider's error, if the request can't be built. Asynchronous authentication providers
    ///   also fail, because they need a `Client`.
    /// - `TransportError`, if the session returns neither a response nor an error (`closed`), the response isn't HTTP
    ///   (`malformed`), or the session can't send the request (`unsupported`).
    /// - `ResponseError`, if `validateResponse` returns `false` (`status`), or the body can't be decoded (`decoding`).
    /// - The error of the session, of `validateResponse` or of the decoder.
    ///
    /// - Parameters:
    ///   - request: The request. It is built immediately.
    ///   - validateResponse: Returns whether a response is accepted. Runs on `decodingQueue`. Default: `nil`, which
    ///     accepts all responses.
    ///   - decodingQueue: The queue for decoding. Default: the global queue for user-initiated work.
    ///   - callbackQueue: The queue of the completion handler. Default: the main queue.
    ///   - configureTask: Called with the task before it starts, for example to store it or to set its priority. Not
    ///     called if the request can't be built. Default: does nothing.
    ///   - completionHandler: Called with the result exactly once.
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
            try PlatformSession.rejectUnsupported(prepared)
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
        let running = Locked<URLSessionTask?>(nil)
        let task = dataTask(with: urlRequest) { data, response, error in
            // Only the first call counts. It also releases the task, which retains this closure.
            guard let task = running.withLock({ $0.take() }) else { return }
            // Foundation may report an error without the response that preceded it.
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

/// The steps from a task's outcome to the caller's result.
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
        // The comparison excludes optionals, for which the cast would succeed as well.
        if Resource.self == Void.self, let nothing = () as? Resource { return nothing }
        return try decoder.decode(head(of: response), data)
    }

    private func rejection(of response: HTTPURLResponse, _ data: Data) throws(TransportError) -> ResponseError {
        let head = try head(of: response)
        return ResponseError(
            code: .status,
            head: head,
            data: data,
            message: "\(head.url) returned \(head.statusCode) (\(data.count) bytes), which the validation rejects."
        )
    }

    private func http(_ response: URLResponse?) throws(TransportError) -> HTTPURLResponse {
        guard let response else {
            throw failed(.closed, "the session returned no response and no error", phase: .sending)
        }
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
        return failed(.malformed, "the response isn't HTTP\(detail)", phase: .receiving, underlying: error)
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
#endif
