import Combine
import Foundation
import RequestsClient
import Synchronization
import Testing

@Suite("Publishers of a client, with OpenCombine instead of Combine", .timeLimit(.minutes(5)))
struct PublisherTests {
    private let request = BaseURL("https://a.example").get(.text, from: "/")
    private let transport = AnsweringTransport { (200, "hello") }

    @Test("A publisher delivers the decoded response and finishes")
    func value() async {
        let probe = Probe<String>(demand: .unlimited)
        Client(transport: transport).publisher(for: request).subscribe(probe)
        #expect(await probe.next() == .value("hello"))
        #expect(await probe.next() == .finished)
    }

    @Test("A publisher fails with the error of the call")
    func failure() async {
        let probe = Probe<String>(demand: .unlimited)
        let client = Client(transport: AnsweringTransport { (404, "") })
        client.publisher(for: request).subscribe(probe)
        #expect(await probe.next() == .failed("\(ResponseError.self)"))
    }

    @Test("A publisher sends one request per subscriber")
    func subscribers() async {
        let publisher = Client(transport: transport).publisher(for: request)
        #expect(transport.count == 0)
        for count in 1...3 {
            let probe = Probe<String>(demand: .max(1))
            publisher.subscribe(probe)
            #expect(await probe.next() == .value("hello"))
            #expect(transport.count == count)
        }
    }

    @Test("A publisher keeps the response until there is demand")
    func demand() async {
        let (answered, answer) = AsyncStream<Void>.makeStream()
        var configuration = Client.Configuration()
        configuration.log = LogDestination { _ in answer.yield() }
        let probe = Probe<String>(demand: .none)
        Client(transport: transport, configuration: configuration).publisher(for: request).subscribe(probe)
        // The start and the end of the call.
        var events = answered.makeAsyncIterator()
        _ = await (events.next(), events.next())
        #expect(probe.isUntouched)
        probe.request(.max(1))
        #expect(await probe.next() == .value("hello"))
        #expect(await probe.next() == .finished)
    }

    @Test("Canceling the subscription cancels the call and delivers nothing more")
    func cancellation() async {
        let (begun, begin) = AsyncStream<Void>.makeStream()
        let (ended, end) = AsyncStream<Bool>.makeStream()
        let (never, held) = AsyncStream<Void>.makeStream()
        let client = Client(
            transport: AnsweringTransport {
                begin.yield()
                for await _ in never {}
                end.yield(Task.isCancelled)
                return (200, "")
            }
        )
        let probe = Probe<String>(demand: .unlimited)
        client.publisher(for: request).subscribe(probe)
        var (starts, ends) = (begun.makeAsyncIterator(), ended.makeAsyncIterator())
        _ = await starts.next()
        probe.cancel()
        #expect(await ends.next() == true)
        #expect(probe.isUntouched)
        held.finish()
    }

    @Test("A publisher works with operators that change its type")
    func operators() async throws {
        let publisher = Client(transport: transport).publisher(for: request).map(\.count)
        let (counts, count) = AsyncStream<Int>.makeStream()
        let subscription = publisher.sink(receiveCompletion: { _ in count.finish() }, receiveValue: { count.yield($0) })
        var received: [Int] = []
        for await count in counts { received.append(count) }
        #expect(received == [5])
        subscription.cancel()
    }
}

/// A subscriber with a configurable demand.
private final class Probe<Input: Sendable & Equatable>: Subscriber, Sendable {
    typealias Failure = any Error

    enum Event: Equatable {
        case value(Input), finished, failed(String)
    }

    /// Unchecked, because publishers lock their subscriptions themselves.
    private struct Held: Sendable {
        nonisolated(unsafe) let subscription: any Subscription
    }

    private let demand: Subscribers.Demand
    private let held = Mutex<Held?>(nil)
    private let count = Mutex(0)
    private let events: AsyncStream<Event>
    private let source: AsyncStream<Event>.Continuation

    init(demand: Subscribers.Demand) {
        self.demand = demand
        (events, source) = AsyncStream.makeStream()
    }

    /// Whether nothing was received yet.
    var isUntouched: Bool { count.withLock { $0 == 0 } }

    func next() async -> Event? {
        var iterator = events.makeAsyncIterator()
        return await iterator.next()
    }

    func request(_ demand: Subscribers.Demand) {
        held.withLock { $0 }?.subscription.request(demand)
    }

    func cancel() {
        held.withLock { $0 }?.subscription.cancel()
    }

    func receive(subscription: any Subscription) {
        let held = Held(subscription: subscription)
        self.held.withLock { $0 = held }
        if demand > .none { subscription.request(demand) }
    }

    func receive(_ input: Input) -> Subscribers.Demand {
        report(.value(input))
        return .none
    }

    func receive(completion: Subscribers.Completion<any Error>) {
        switch completion {
        case .finished: report(.finished)
        case .failure(let error): report(.failed("\(type(of: error))"))
        }
    }

    private func report(_ event: Event) {
        count.withLock { $0 += 1 }
        source.yield(event)
    }
}
