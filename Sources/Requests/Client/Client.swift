import Foundation

/// Sends requests over a transport and decodes the responses.
///
/// ```swift
/// let client = Client(transport: CurlTransport.shared)
/// let user = try await client.send(api.get(json: User.self, from: "/user/1"))
/// ```
///
/// A client is a value: a copy with another configuration shares the transport, what is in flight and the stream of
/// failures, and nothing else.
public struct Client: Sendable {
    /// What all requests of the client have in common.
    public var configuration: Configuration

    let transport: any Transport
    let state = ClientState()

    /// Creates a client.
    public init(transport: any Transport, configuration: Configuration = Configuration()) {
        self.transport = transport
        self.configuration = configuration
    }

    /// Sends a request and decodes the response.
    ///
    /// - Throws: ``InvalidRequestURLError`` or ``RequestError`` when it cannot be built, ``TransportError`` when an
    ///   exchange fails, ``ClientError`` when a policy ends it, ``ResponseError`` when the response is not what was
    ///   asked for, errors of providers, middleware and decoders as they are, and `CancellationError`.
    public func send<R: RequestConvertible>(_ request: R) async throws -> R.Resource {
        try await response(for: request).content
    }

    /// Sends a request and decodes the response, with its head.
    ///
    /// - Throws: As ``send(_:)``.
    public func response<R: RequestConvertible>(for request: R) async throws -> Response<R.Resource> {
        try await response(for: request, at: nil)
    }

    /// - Parameters:
    ///   - url: Where the request goes; `nil` for its own URL. Credentials do not go to another origin.
    ///   - isForeign: Whether another origin has named the URL, so that none go there either.
    func response<R: RequestConvertible>(
        for request: R,
        at url: RequestURL?,
        isForeign: Bool = false
    ) async throws -> Response<R.Resource> {
        let place = state.enter()
        defer { state.leave(place) }
        var journal: CallJournal?
        do {
            let exchange = try await open(
                request,
                at: url,
                isForeign: isForeign,
                collecting: configuration.maximumBodyBytes,
                &journal
            )
            let data = try await exchange.content.collect(upTo: configuration.maximumBodyBytes)
            let resource = try await decode(exchange.head, data, request.responseDecoder)
            let response = Response(
                head: exchange.head,
                content: resource,
                history: exchange.history,
                metrics: exchange.content.metrics ?? exchange.metrics
            )
            journal?.succeeded(response.head, receivedBytes: data.count, metrics: response.metrics)
            return response
        } catch {
            report(error, of: request, journal)
            throw error
        }
    }

    /// Sends a request and gives the body as it arrives, whatever the status.
    ///
    /// The request's decoder and the client's ``Configuration/validation`` are not used, but by
    /// ``Response/validated()``, which is for who wants the body of a success alone.
    ///
    /// - Throws: As ``send(_:)``.
    public func stream<R: RequestConvertible>(_ request: R) async throws -> Response<ResponseBody> {
        var response = try await stream(request, isWholeCall: true) { _ in }
        response.content.judge = ResponseJudge(
            rules: request.responseDecoder.rules,
            validation: configuration.validation,
            maximumBodyBytes: configuration.maximumBodyBytes
        )
        return response
    }

    /// - Parameters:
    ///   - isWholeCall: Whether a failure is the caller's, of which listeners are told.
    ///   - change: What is done to the request before it is sent.
    func stream<R: RequestConvertible>(
        _ request: R,
        isWholeCall: Bool,
        changing change: (inout PreparedRequest) throws -> Void
    ) async throws -> Response<ResponseBody> {
        let place = state.enter()
        defer { state.leave(place) }
        var journal: CallJournal?
        do {
            let response = try await open(request, changing: change, &journal)
            journal?.succeeded(response.head, receivedBytes: nil, metrics: response.metrics)
            return response
        } catch {
            log(error, of: request, journal)
            if isWholeCall { tell(error, of: request) }
            throw error
        }
    }

    /// Builds a request and sends it through all policies.
    ///
    /// - Parameters:
    ///   - url: Where it goes; `nil` for its own URL.
    ///   - isForeign: Whether that gets no credentials, wherever it is.
    ///   - maximum: How large a body the caller will collect; `nil` where it is read as it comes.
    ///   - deadline: That of the call, where it has sent a request before.
    ///   - attempts: Those of the call's other requests, where it makes several.
    ///   - change: What is done to the request before it is sent.
    ///   - journal: That of the call, made where there is none.
    func open(
        _ request: some RequestConvertible,
        at url: RequestURL? = nil,
        isForeign: Bool = false,
        collecting maximum: Int? = nil,
        within deadline: CallDeadline? = nil,
        after attempts: EarlierAttempts? = nil,
        changing change: (inout PreparedRequest) throws -> Void = { _ in },
        _ journal: inout CallJournal?
    ) async throws -> Response<ResponseBody> {
        let draft = try request.draft(defaults: configuration.header)
        var (prepared, authentication) = (draft.unauthenticated, draft.authenticationProvider)
        prepared.options.timeouts = prepared.options.timeouts.filled(from: configuration.timeouts)
        if authentication.isNone, !request.header.contains(.authorization) {
            authentication = configuration.authentication
        }
        if let url, prepared.move(to: url, isForeign: isForeign) { authentication = .none }
        try change(&prepared)
        if journal == nil, let receive = configuration.log.receive {
            journal = CallJournal(prepared, state.nextCall(), configuration.clock, receive)
        }
        return try await exchange(
            prepared,
            authentication: authentication,
            collecting: maximum,
            within: deadline,
            after: attempts,
            journal
        )
    }

    /// Decoding takes processor time: it runs beside the caller's actor, not on it.
    @concurrent
    private func decode<Resource>(
        _ head: ResponseHead,
        _ data: Data,
        _ decoder: ResponseDecoder<Resource>
    ) async throws -> Resource {
        let json = JSONCoders.standard.decoder
        try (decoder.rules ?? DecodingRules()).check(head, data, json, otherwise: configuration.validation)
        return try await decoder.awaitedValue(head, data, json)
    }
}
