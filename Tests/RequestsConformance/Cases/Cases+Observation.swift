import Requests
import RequestsClient
import RequestsTesting

/// Cases about metrics and the events for an observer.
extension TransportConformance.Case {
    static let observation: [Self] = [metrics, events, eventsOfFailure]

    private static let body = Data(repeating: 120, count: 100_000)

    private static func echo(_ context: TransportConformance.Context) throws -> PreparedRequest {
        let server = try context.serveHTTP { .init(200, body: $0.body) }
        return try context.request(.post, server, body: .data(body))
    }

    /// After a body has ended, it has the metrics of its exchange.
    public static let metrics = Self("metrics", "metrics have the sizes, the times and the reuse of an exchange") {
        context in
        try context.require(.metrics, "measure")
        let request = try echo(context)
        for isReused in [false, true] {
            let response = try await context.transport.send(request)
            _ = try await response.content.collect(upTo: body.count)
            guard let metrics = response.content.metrics else {
                throw TransportConformance.ExpectationFailure(description: "metrics are missing after the body's end")
            }
            try context.expect(metrics.sentBodyBytes, is: Int64(body.count), "the number of sent bytes")
            try context.expect(metrics.receivedBodyBytes, is: Int64(body.count), "the number of received bytes")
            try context.expect(metrics.isConnectionReused, is: isReused, "isConnectionReused")
            try context.expect(metrics.connectEnd == nil, is: isReused, "the absence of connectEnd")
            try context.expect(metrics.httpVersion, is: response.head.httpVersion, "the version")
            let address = "127.0.0.1:\(request.url.origin.port)"
            try context.expect(metrics.remoteAddress, is: address, "the remote address")
            let times = [metrics.connectEnd, metrics.requestStart, metrics.responseStart, metrics.responseEnd]
            try context.expect(times.compactMap(\.self).count, is: isReused ? 3 : 4, "the number of times")
            try context.expect(
                times.compactMap(\.self).sorted(),
                is: times.compactMap(\.self),
                "the order of the times"
            )
        }
    }

    /// An observer receives the events of an exchange in order.
    public static let events = Self("events", "an observer receives the events of an exchange in order") { context in
        var request = try echo(context)
        let events = Locked<[PreparedRequest.Event]>([])
        request.options.observer = { event in events.withLock { $0.append(event) } }
        let response = try await context.exchange(request)
        let all = events.withLock { $0 }
        let names = all.map(\.name)
        var order = ["sent", "requestSent", "head", "received", "ended"]
        if context.transport.capabilities.contains(.metrics) { order.insert("connected", at: 0) }
        // Byte counts may be reported several times, so only their first events are compared.
        let first = order.compactMap { names.firstIndex(of: $0) }
        try context.expect(first.count == order.count && first == first.sorted(), "the events are \(names)")
        for name in ["requestSent", "head", "ended"] {
            try context.expect(names.count { $0 == name }, is: 1, "the number of \(name) events")
        }
        try context.expect(names.last, is: "ended", "the last event")
        for event in all { try check(event, response.head, context) }
        let size = Int64(body.count)
        try context.expect(all.compactMap(\.sentBytes).last, is: size, "the number of sent bytes")
        try context.expect(all.compactMap(\.receivedBytes).last, is: size, "the number of received bytes")
    }

    private static func check(
        _ event: PreparedRequest.Event,
        _ expected: ResponseHead,
        _ context: TransportConformance.Context
    ) throws {
        switch event {
        case .head(let head): try context.expect(head, is: expected, "the head of the event")
        case .connected(_, _, let isReused): try context.expect(isReused, is: false, "isReused")
        case .sent(_, let total): try context.expect(total, is: Int64(body.count), "the total of the request")
        case .received(_, let total): try context.expect(total, is: Int64(body.count), "the total of the response")
        default: break
        }
    }

    /// A failed exchange also ends with exactly one `ended` event.
    public static let eventsOfFailure = Self("eventsOfFailure", "the last event of a failed exchange is ended") {
        context in
        var request = try context.request(.get, context.play("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nsome"))
        let events = Locked<[PreparedRequest.Event]>([])
        request.options.observer = { event in events.withLock { $0.append(event) } }
        try await context.expectFailure(.truncated, .closed) { try await context.exchange(request) }
        let names = events.withLock { $0 }.map(\.name)
        try context.expect(names.last, is: "ended", "the last event")
        try context.expect(names.count { $0 == "ended" }, is: 1, "the number of ended events")
    }
}

extension PreparedRequest.Event {
    /// The name of the case.
    fileprivate var name: String { String("\(self)".prefix { $0 != "(" }) }

    fileprivate var sentBytes: Int64? {
        if case .sent(let bytes, _) = self { bytes } else { nil }
    }

    fileprivate var receivedBytes: Int64? {
        if case .received(let bytes, _) = self { bytes } else { nil }
    }
}
