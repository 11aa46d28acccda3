import Requests

/// The events of a server, over any number of connections.
struct Events<Input: PreparableRequest>: AsyncSequence, Sendable {
    let runner: CallRunner
    let input: Input
    let start: Reconnection
    let maximumBytes: Int

    func makeAsyncIterator() -> Iterator {
        Iterator(events: self)
    }

    struct Iterator: AsyncIteratorProtocol {
        private let events: Events
        private var reconnection: Reconnection
        private var stream: ParsedBody<ServerSentEventParser>.Iterator?
        private var isAtEnd = false
        /// The `Idempotency-Key` of all connections, for the server to see that they are one request.
        private let key: String

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
                    events.runner.report(failure, of: sent, events.input.description)
                    throw failure
                }
                try await events.runner.state.calls.run { [runner = events.runner] in
                    try await CallRunner.wait(for: delay, on: runner.configuration.clock)
                }
            }
        }

        private var connection: EventConnection<Input> {
            EventConnection(
                input: events.input,
                reconnection: reconnection,
                key: key,
                isIdempotent: events.runner.configuration.options.isIdempotent ?? false
            )
        }

        /// The request of the last connection. `nil` if it can't be built.
        private var sent: PreparedRequest? {
            try? PreparedCall(connection, events.runner).request
        }

        private mutating func delay(after failure: (any Error)?) -> Duration? {
            let configuration = events.runner.configuration
            return sent.flatMap {
                reconnection.delay(after: failure, of: $0, date: configuration.date, random: configuration.random)
            }
        }

        /// Opens the next stream. Returns `false` if the server has no more events.
        private mutating func connect() async throws -> Bool {
            let requestedID = sent?.header[.lastEventID] ?? ""
            guard let response = try await events.runner.eventStream(connection) else { return false }
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
        _ input: some PreparableRequest,
        _ adjust: (inout CallSettings) -> Void = { _ in }
    ) async throws -> Response<ResponseBody>? {
        let response = try await stream(input, reportsFailure: false, adjust)
        let validation = response.validation?.value ?? ResponseValidation()
        switch response.head.statusCode {
        case 200 where response.head.mediaType?.matches(.eventStream) == true: return response
        case 200 where response.head.mediaType?.isJSON == true:
            let data = try await response.content.collect(upTo: validation.maximumBodyBytes)
            let json = input.responseDecoder.json ?? JSONCoders.standard.decoder
            throw ResponseError.unexpectedContentType(
                response.head,
                data,
                validation.failure(in: response.head, data, json)
            )
        // The body may be an endless stream, so it isn't read for the error.
        case 200: throw ResponseError.unexpectedContentType(response.head)
        case 204: return nil
        case 200..<300: throw ResponseError.unexpectedStatus(response.head)
        default: throw try await response.rejection(by: validation)
        }
    }
}

/// The request of one connection.
private struct EventConnection<Input: PreparableRequest>: PreparableRequest {
    let input: Input
    let reconnection: Reconnection
    let key: String
    /// Whether requests are idempotent that don't say so themselves.
    let isIdempotent: Bool

    var description: String { input.description }
    var responseDecoder: ResponseDecoder<Input.Resource> { input.responseDecoder }
    var authenticationProvider: AuthenticationProvider { input.authenticationProvider }

    func unauthenticated(defaults: Header) throws -> PreparedRequest {
        var request = try input.unauthenticated(defaults: defaults)
        reconnection.prepare(&request)
        if request.options.isIdempotent ?? isIdempotent { request.identify(with: key) }
        // The reconnection counts the attempts.
        request.options.retries = .never
        return request
    }
}

extension ResponseError {
    fileprivate static func unexpectedStatus(_ head: ResponseHead) -> ResponseError {
        ResponseError(
            code: .status,
            head: head,
            data: Data(),
            message: "\(head.url) returned \(head.statusCode) instead of 200. Its body wasn't read."
        )
    }

    fileprivate static func unexpectedContentType(
        _ head: ResponseHead,
        _ data: Data = Data(),
        _ underlying: (any Error)? = nil
    ) -> ResponseError {
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
