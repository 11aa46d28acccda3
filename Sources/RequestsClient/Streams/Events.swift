import Requests

extension Client {
    /// Returns the events of a server. Reconnects when a connection ends or breaks, and asks for the events after the
    /// last one.
    ///
    /// ```swift
    /// for try await event in client.events(for: api.get(.none, from: "/events")) {
    ///     print(event.event, event.data)
    /// }
    /// ```
    ///
    /// Each connection is one request under all policies of the client but its retries:
    ///
    /// - If the server ends the connection, the next one follows after the stream's `retry`, but at least 100
    ///   milliseconds. Default: 3 seconds.
    /// - If a connection fails, or has a status that `retries` names, the wait is longer by the policy's delay or
    ///   `Retry-After`. The first event of a connection resets the count of failures.
    /// - Status 204 ends the sequence. Any other status than 200, and any other `Content-Type` than
    ///   `text/event-stream`, is an error.
    /// - If repeating the request isn't safe, for example a `POST` without `Idempotency-Key`, the sequence ends with
    ///   its first response.
    ///
    /// A stream without data for longer than the idle timeout (default: 60 seconds) counts as broken. For servers that
    /// send no comments in between, raise the timeout with `Request.timeouts(idle:)`. A total timeout limits each
    /// connection, and is an error.
    ///
    /// Each iteration connects again. Canceling its task, or dropping its iterator, ends the connection at once.
    ///
    /// The sequence throws the errors of ``send(_:progress:)``, `ResponseError.Code.status`, `.contentType`,
    /// `TransportError.Code.tooLarge` if an event is too large, and the last error when no attempt is left.
    ///
    /// - Parameters:
    ///   - request: The request. Its decoder only reads failures (`Request.decodingErrors(as:)`). `Accept` and
    ///     `Cache-Control` are set.
    ///   - lastEventID: Where to continue, from an earlier `ServerSentEvent.id`. Default: the request's own field.
    ///   - retries: Which failures are followed by another attempt, how many in a row, and the delay in addition to the
    ///     stream's `retry`. With `.never` there is one connection. Default: `nil`, 10 attempts, with exponential
    ///     backoff from 1 to 60 seconds.
    ///   - maximumBytes: The maximum size of an event, in bytes. Default: 1 MiB.
    ///
    /// Specification: WHATWG HTML §9.2.3, §9.2.4.
    public func events(
        for request: some PreparableRequest,
        lastEventID: String? = nil,
        retries: RetryPolicy? = nil,
        upTo maximumBytes: Int = 1 << 20
    ) -> some AsyncSequence<ServerSentEvent, any Error> & Sendable {
        Events(
            runner: runner,
            input: request,
            start: Reconnection(policy: retries, lastEventID: lastEventID),
            maximumBytes: maximumBytes
        )
    }

    /// Returns the values of the events in one response, decoded from JSON, such as the deltas of a language model.
    ///
    /// ```swift
    /// let answer = api.post(json: ["prompt": "Hello"], to: "/chat/completions")
    /// for try await part in client.events(
    ///     of: Post.self,
    ///     for: answer,
    ///     until: "[DONE]"
    /// ) {
    ///     print(part)
    /// }
    /// ```
    ///
    /// The request is sent once, and again only if it fails before the first event and its retry policy allows that. It
    /// is never sent again after that event, because the caller would get a second answer. For events without an end,
    /// which continue over several connections, use ``events(for:lastEventID:retries:upTo:)``. The last event counts
    /// without its empty line if the body ends properly.
    ///
    /// The sequence throws the errors of ``send(_:progress:)``, and these:
    ///
    /// - `TransportError.Code.truncated` if the events end before `end`.
    /// - `ResponseError.Code.failure` if an event reports a failure: its type is `error`, or it has a member `error`,
    ///   and `Request.decodingErrors(as:)` can read it, or it isn't a `Value`. The failure is the
    ///   `ResponseError.underlying` error.
    /// - `ResponseError.Code.contentType` if the response has another `Content-Type`. The description of a failure in
    ///   JSON is read.
    /// - `ResponseError.Code.decoding` for an event that can't be decoded.
    ///
    /// - Parameters:
    ///   - type: The type of the values. Default: inferred from the call site.
    ///   - request: The request. Its decoder only reads failures (`Request.decodingErrors(as:)`). `Accept` and
    ///     `Cache-Control` are set.
    ///   - end: The data of the event that ends the sequence. Default: `nil`, no such event.
    ///   - decoder: The decoder. Must not be changed afterwards. Default: `nil`, the decoder of the API's
    ///     `RequestProviding.coders`.
    ///   - retries: When the request is sent again before the first event. Default: `nil`, the policy of the request
    ///     or the client.
    ///   - maximumBytes: The maximum size of an event, in bytes. Default: 1 MiB.
    public func events<Value: Decodable & Sendable, R: PreparableRequest>(
        of type: Value.Type = Value.self,
        for request: R,
        until end: String? = nil,
        decoder: JSONDecoder? = nil,
        retries: RetryPolicy? = nil,
        upTo maximumBytes: Int = 1 << 20
    ) -> some AsyncSequence<Value, any Error> & Sendable {
        DecodedEvents<R, Value>(
            runner: runner,
            input: request,
            retries: retries,
            end: end,
            decoder: decoder ?? request.responseDecoder.json ?? JSONCoders.standard.decoder,
            maximumBytes: maximumBytes
        )
    }
}

/// The events of a server, over any number of connections.
struct Events<Input: PreparableRequest>: AsyncSequence, Sendable {
    let runner: CallRunner
    let input: Input
    let start: Reconnection
    let maximumBytes: Int

    func makeAsyncIterator() -> Iterator { Iterator(events: self) }

    struct Iterator: AsyncIteratorProtocol {
        private let events: Events
        private var reconnection: Reconnection
        private var stream: ParsedBody<ServerSentEventParser>.Iterator?
        private var isAtEnd = false
        /// The `Idempotency-Key` of all connections, for the server to see that they are one request.
        private let key: String
        /// The call of the last connection. `nil` if its request can't be built.
        private var plan: CallPlan?

        init(events: Events) {
            self.events = events
            self.reconnection = events.start
            key = events.runner.configuration.token()
        }

        mutating func next(isolation actor: isolated (any Actor)? = #isolation) async throws -> ServerSentEvent? {
            guard !isAtEnd else { return nil }
            // Set before anything can throw.
            isAtEnd = true
            while true {
                var failure: (any Error)?
                do {
                    if stream == nil, try await !connect() { return nil }
                    if let event = try await stream?.next(isolation: actor) {
                        isAtEnd = false
                        reconnection.received()
                        return event
                    }
                } catch {
                    failure = error
                }
                if let parser = stream?.parser { reconnection.ended(parser) }
                stream = nil
                guard let delay = delay(after: failure) else {
                    guard let failure else { return nil }
                    events.runner.report(failure, of: plan?.request, events.input.description)
                    throw failure
                }
                try await events.runner.state.calls.run { [plan] in
                    try await plan?.wait(delay, after: failure.map { .failure($0) })
                }
            }
        }

        /// Builds the request of one connection.
        private func makePlan() throws -> CallPlan {
            let isIdempotent = events.runner.configuration.options.isIdempotent ?? false
            let connection = AdjustedRequest(events.input) { [reconnection, key] request in
                reconnection.prepare(&request)
                if request.options.isIdempotent ?? isIdempotent { request.addIdempotencyKey(key) }
                // The reconnection counts the attempts.
                request.options.retries = .never
            }
            return try events.runner.plan(connection, goal: .head, reportsFailure: false)
        }

        /// - Parameter failure: The failure. `nil` if the server has ended the connection, which is no retry.
        private mutating func delay(after failure: (any Error)?) -> Duration? {
            guard let plan else { return nil }
            let configuration = events.runner.configuration
            let delay = reconnection.delay(
                after: failure,
                of: plan.request,
                date: configuration.date,
                random: configuration.random
            )
            guard let delay, failure == nil || configuration.retryBudget?.takeRetry() ?? true else { return nil }
            return delay
        }

        /// Opens the next stream. Returns `false` if the server has no more events.
        private mutating func connect() async throws -> Bool {
            plan = nil
            let plan = try makePlan()
            self.plan = plan
            guard let response = try await events.runner.eventStream(plan, events.input) else { return false }
            let requestedID = plan.request.header[.lastEventID] ?? ""
            let parser = ServerSentEventParser(upTo: events.maximumBytes, lastEventID: requestedID)
            stream = ParsedBody(body: response.content, parser: parser).makeAsyncIterator()
            return true
        }
    }
}

extension CallRunner {
    /// Sends a request for a stream of events.
    ///
    /// - Returns: `nil` if the server has no events.
    func eventStream(
        _ plan: CallPlan,
        _ input: some PreparableRequest
    ) async throws -> Response<ResponseBody>? {
        let response = try await stream(plan, input.responseDecoder.rules, reportsFailure: false)
        let validation = response.validation?.value ?? ResponseValidation()
        let head = response.head
        switch head.statusCode {
        case 200 where head.mediaType?.matches(.eventStream) == true: return response
        case 200:
            // Any other body than JSON may be an endless stream, so it isn't read for the error.
            let isJSON = head.mediaType?.isJSON == true
            let data = isJSON ? try await response.content.collect(upTo: validation.maximumBodyBytes) : Data()
            let json = input.responseDecoder.json ?? JSONCoders.standard.decoder
            throw ResponseError.noEvents(head, data, isJSON ? validation.failure(in: head, data, json) : nil)
        case 204: return nil
        case 200..<300:
            throw ResponseError(
                code: .status,
                head: head,
                data: Data(),
                message: "\(head.url) returned \(head.statusCode) instead of 200. Its body wasn't read."
            )
        default: throw try await response.rejection(by: validation)
        }
    }
}

extension ResponseError {
    fileprivate static func noEvents(_ head: ResponseHead, _ data: Data, _ underlying: (any Error)?) -> ResponseError {
        ResponseError(
            code: .contentType,
            head: head,
            data: data,
            message: "\(head.url) returned \(head.header[.contentType].map(Redaction.quoted) ?? "no Content-Type") "
                + "instead of text/event-stream."
                + (underlying.flatMap { ownDescription(of: $0) } ?? ""),
            underlying: underlying
        )
    }
}
