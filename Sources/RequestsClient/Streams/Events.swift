import Foundation
import Requests

/// The events of a server, over any number of connections.
struct Events<Input: CallInput>: AsyncSequence, Sendable {
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
        /// The head of the last connection's response.
        private(set) var head: ResponseHead?

        init(events: Events) {
            self.events = events
            self.reconnection = events.start
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
                    try await runner.sleep(for: delay)
                }
            }
        }

        private var connection: EventConnection<Input> {
            EventConnection(input: events.input, reconnection: reconnection)
        }

        /// The request of the last connection. `nil` if it can't be built.
        private var sent: PreparedRequest? {
            try? connection.call(by: events.runner).request
        }

        private mutating func delay(after failure: (any Error)?) -> Duration? {
            sent.flatMap { reconnection.delay(after: failure, of: $0, events.runner.configuration) }
        }

        /// Opens the next stream. Returns `false` if the server has no more events.
        private mutating func connect() async throws -> Bool {
            let requestedID = sent?.header[.lastEventID] ?? ""
            let response = try await events.runner.stream(connection, reportsFailure: false)
            let (head, body) = (response.head, response.content)
            self.head = head
            switch head.statusCode {
            case 200:
                guard head.isEventStream else {
                    body.cancel()
                    throw ResponseError.unexpectedContentType(head)
                }
            case 204:
                body.cancel()
                return false
            // The body may be an endless stream, so it isn't read for the error.
            case 200..<300:
                body.cancel()
                throw ResponseError.unexpectedStatus(head)
            default:
                throw try await response.rejection(by: response.validation ?? ResponseValidation())
            }
            let parser = ServerSentEventParser(upTo: events.maximumBytes, lastEventID: requestedID)
            reconnection.opened()
            stream = ParsedBody(body: body, parser: parser).makeAsyncIterator()
            return true
        }
    }
}

/// The request of one connection.
private struct EventConnection<Input: CallInput>: CallInput {
    let input: Input
    let reconnection: Reconnection

    var description: String { input.description }
    var decoder: ResponseDecoder<Input.Resource> { input.decoder }

    func call(by runner: CallRunner) throws -> Call {
        var call = try input.call(by: runner)
        reconnection.prepare(&call.request)
        // The reconnection counts the attempts.
        call.retries = .never
        return call
    }
}

extension ResponseHead {
    fileprivate var isEventStream: Bool {
        // Ignores the parameters, even malformed ones, as WHATWG requires.
        guard let type = header[.contentType]?.split(separator: ";", omittingEmptySubsequences: false).first else {
            return false
        }
        return ASCII.equalsIgnoringCase(type.trimmingCharacters(in: .whitespaces), "text/event-stream")
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

    fileprivate static func unexpectedContentType(_ head: ResponseHead) -> ResponseError {
        ResponseError(
            code: .contentType,
            head: head,
            data: Data(),
            message: "\(head.url) returned \(head.header[.contentType].map(Redaction.quoted) ?? "no Content-Type") "
                + "instead of text/event-stream."
        )
    }
}
