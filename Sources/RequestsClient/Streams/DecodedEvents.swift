import Requests

/// The values of the events in one response.
///
/// The request may be repeated before the first event, as its retry policy says. It is never repeated afterwards,
/// because a reader that has got a part of an answer must not get another one.
struct DecodedEvents<Input: PreparableRequest, Value: Decodable & Sendable>: AsyncSequence, Sendable {
    let runner: CallRunner
    let input: Input
    let retries: RetryPolicy?
    /// The data of the event that ends the sequence.
    let end: String?
    let decoder: JSONDecoder
    let maximumBytes: Int

    func makeAsyncIterator() -> Iterator { Iterator(events: self) }

    struct Iterator: AsyncIteratorProtocol {
        private enum State {
            case unsent
            case reading(ParsedBody<ServerSentEventParser>.Iterator, ResponseHead, ResponseValidation)
            /// Holds nothing, because dropping the body ends the connection.
            case over
        }

        private let events: DecodedEvents
        private var state = State.unsent
        /// The request, for the client's failures. `nil` if it can't be built.
        private var request: PreparedRequest?

        fileprivate init(events: DecodedEvents) { self.events = events }

        mutating func next(isolation actor: isolated (any Actor)? = #isolation) async throws -> Value? {
            do {
                return try await read(isolation: actor)
            } catch {
                events.runner.report(error, of: request, "\(events.input)")
                throw error
            }
        }

        private mutating func read(isolation actor: isolated (any Actor)?) async throws -> Value? {
            let previous = state
            // Stays if anything below throws.
            state = .over
            var stream: ParsedBody<ServerSentEventParser>.Iterator
            let head: ResponseHead
            let validation: ResponseValidation
            switch previous {
            case .over: return nil
            case .reading(let current, let currentHead, let currentValidation):
                (stream, head, validation) = (current, currentHead, currentValidation)
            case .unsent:
                let plan = try events.plan()
                request = plan.request
                guard let response = try await events.runner.eventStream(plan, events.input) else { return nil }
                let parser = ServerSentEventParser(upTo: events.maximumBytes, acceptsOpenEnd: true)
                stream = ParsedBody(body: response.content, parser: parser).makeAsyncIterator()
                (head, validation) = (response.head, response.validation?.value ?? ResponseValidation())
            }
            guard let event = try await stream.next(isolation: actor) else {
                guard let end = events.end else { return nil }
                throw TransportError(
                    code: .truncated,
                    message: "the events from \(head.url) ended before \(Redaction.quoted(end)); the request "
                        + "isn't sent again, because a part of the answer was delivered",
                    phase: .receiving
                )
            }
            if event.data == events.end { return nil }
            let value = try events.value(of: event, from: head, validation)
            state = .reading(stream, head, validation)
            return value
        }
    }
}

extension DecodedEvents {
    /// The call, which sends the request until its response has a first event.
    private func plan() throws -> CallPlan {
        let request = AdjustedRequest(input) { [retries] request in
            request.header.set(.accept(.eventStream))
            request.header.set(.cacheControl(.noStore))
            if let retries { request.options.retries = retries }
        }
        let elements = StreamElements.events(upTo: maximumBytes, endIsExpected: end != nil)
        return try runner.plan(request, goal: .firstElement(elements), reportsFailure: false)
    }

    /// Decodes an event, or throws the failure that it reports.
    private func value(
        of event: ServerSentEvent,
        from head: ResponseHead,
        _ validation: ResponseValidation
    ) throws -> Value {
        let data = Data(event.data.utf8)
        let isFailure = event.event == "error" || decoder.findsError(in: data)
        let failure = isFailure ? validation.failure(in: head, data, decoder) : nil
        if let failure { throw ResponseError.failure(head, data, failure) }
        do {
            return try decoder.decodeLimited(Value.self, from: data)
        } catch {
            if isFailure { throw ResponseError.failure(head, data, nil) }
            throw ResponseError.event(of: Value.self, head, data, error)
        }
    }
}

extension JSONDecoder {
    private struct Failing: Decodable {
        let error: JSONValue?
    }

    /// Whether an object has a member `error`, as language models report failures in the middle of a stream.
    fileprivate func findsError(in data: Data) -> Bool {
        guard ByteSearch(Array("\"error\"".utf8)).firstMatch(in: data) != nil else { return false }
        switch (try? JSONCoders.standard.decoder.decodeLimited(Failing.self, from: data))?.error {
        case nil, .null: return false
        default: return true
        }
    }
}
