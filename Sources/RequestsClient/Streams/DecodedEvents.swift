import Foundation
import Requests

/// The values of a server's events.
struct DecodedEvents<Input: CallInput, Value: Decodable & Sendable>: AsyncSequence, Sendable {
    let events: Events<Input>
    /// The data of the event that ends the sequence.
    let end: String?
    let decoder: JSONDecoder

    func makeAsyncIterator() -> Iterator {
        Iterator(events: events.makeAsyncIterator(), end: end, decoder: decoder)
    }

    struct Iterator: AsyncIteratorProtocol {
        /// `nil` after the end, because dropping the iterator ends the connection.
        fileprivate var events: Events<Input>.Iterator?
        fileprivate let end: String?
        fileprivate let decoder: JSONDecoder

        mutating func next(isolation actor: isolated (any Actor)? = #isolation) async throws -> Value? {
            guard var events else { return nil }
            self.events = nil
            guard let event = try await events.next(isolation: actor) else {
                if let end { throw TransportError.endedBefore(end, events.head) }
                return nil
            }
            if event.data == end { return nil }
            let value = try decoded(event, events.head)
            self.events = events
            return value
        }

        private func decoded(_ event: ServerSentEvent, _ head: ResponseHead?) throws -> Value {
            let data = Data(event.data.utf8)
            do {
                return try decoder.decodeLimited(Value.self, from: data)
            } catch {
                throw head.map { ResponseError.event(of: Value.self, $0, data, error) } ?? error
            }
        }
    }
}

extension TransportError {
    fileprivate static func endedBefore(_ end: String, _ head: ResponseHead?) -> TransportError {
        TransportError(
            code: .truncated,
            message: "the events\(head.map { " from \($0.url)" } ?? "") ended before \(Redaction.quoted(end)); "
                + "a request whose method isn't idempotent is only sent again with an Idempotency-Key",
            phase: .receiving
        )
    }
}
