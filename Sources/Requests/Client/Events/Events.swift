import Foundation

/// The events of a server, over as many connections as they take.
struct Events<R: RequestConvertible>: AsyncSequence, Sendable {
    let client: Client
    let request: R
    let start: Reconnection
    let maximumBytes: Int

    func makeAsyncIterator() -> Iterator {
        Iterator(events: self)
    }

    struct Iterator: AsyncIteratorProtocol {
        private let events: Events
        private var reconnection: Reconnection
        /// The request of the last connection; `nil` where it could not be built.
        private var sent: PreparedRequest?
        private var stream: ParsedBody<ServerSentEventParser>.Iterator?
        private var isOver = false

        init(events: Events) {
            self.events = events
            self.reconnection = events.start
        }

        mutating func next(isolation actor: isolated (any Actor)? = #isolation) async throws -> ServerSentEvent? {
            guard !isOver else { return nil }
            // Whatever way this is left, but with an event.
            isOver = true
            while true {
                var failure: (any Error)?
                do {
                    if stream == nil, try await !connect(isolation: actor) { return nil }
                    if let event = try await stream?.next(isolation: actor) {
                        isOver = false
                        return event
                    }
                } catch {
                    failure = error
                }
                if let parser = stream?.parser { reconnection.ended(parser) }
                stream = nil
                let configuration = events.client.configuration
                guard let sent, let delay = reconnection.delay(after: failure, of: sent, configuration) else {
                    guard let failure else { return nil }
                    events.client.tell(failure, of: events.request)
                    throw failure
                }
                let place = events.client.state.enter()
                defer { events.client.state.leave(place) }
                try await configuration.clock.sleep(for: delay)
            }
        }

        /// - Returns: Whether there is a stream; otherwise the server has no more events.
        private mutating func connect(isolation actor: isolated (any Actor)?) async throws -> Bool {
            var prepared: PreparedRequest?
            defer { sent = prepared }
            let response = try await events.client.stream(events.request, isWholeCall: false) {
                [reconnection] request in
                reconnection.prepare(&request)
                prepared = request
            }
            let (head, body) = (response.head, response.content)
            switch head.statusCode {
            case 200:
                guard head.isEventStream else {
                    body.cancel()
                    throw ResponseError.noEventStream(head)
                }
            case 204:
                body.cancel()
                return false
            // A success of another kind may have events that go on without end.
            case 200..<300:
                body.cancel()
                throw ResponseError.noOK(head)
            default:
                throw try await response.refusal(
                    upTo: events.client.configuration.maximumBodyBytes,
                    readBy: events.request.responseDecoder.rules
                )
            }
            reconnection.opened()
            let id = prepared?.header[.lastEventID] ?? ""
            let parser = ServerSentEventParser(upTo: events.maximumBytes, lastEventID: id)
            stream = ParsedBody(body: body, parser: parser).makeAsyncIterator()
            return true
        }
    }
}

extension ResponseHead {
    fileprivate var isEventStream: Bool {
        // Whatever its parameters: as WHATWG has it, one that is none does not count.
        guard let type = header[.contentType]?.split(separator: ";", omittingEmptySubsequences: false).first else {
            return false
        }
        return ASCII.equalsIgnoringCase(type.trimmingCharacters(in: .whitespaces), "text/event-stream")
    }
}

extension ResponseError {
    fileprivate static func noOK(_ head: ResponseHead) -> ResponseError {
        ResponseError(
            code: .status,
            head: head,
            data: Data(),
            message: "\(head.url) answered \(head.statusCode), not 200; its body was not read"
        )
    }

    fileprivate static func noEventStream(_ head: ResponseHead) -> ResponseError {
        ResponseError(
            code: .contentType,
            head: head,
            data: Data(),
            message:
                "\(head.url) answered with \(head.header[.contentType].map(Redaction.quoted) ?? "no Content-Type"), "
                + "not with text/event-stream"
        )
    }
}
