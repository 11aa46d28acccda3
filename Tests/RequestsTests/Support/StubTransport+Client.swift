import RequestsTesting

extension StubTransport {
    /// A client of this transport whose random numbers are ½.
    func client(
        on clock: TestClock = TestClock(isImmediate: true),
        configure: (inout Client.Configuration) -> Void = { _ in }
    ) -> Client {
        var configuration = Client.Configuration()
        configuration.clock = clock
        configuration.random = { 0.5 }
        configure(&configuration)
        return Client(transport: self, configuration: configuration)
    }
}

extension StubTransport.Reply {
    /// A stream of events, and the error that breaks it. Without an error the server ends it.
    static func events(_ text: String, failure: TransportError.Code? = nil) -> Self {
        reply(200, header: [.eventStream], chunks: [Data(text.utf8)], failure: failure)
    }

    /// A stream of events that stays open and reports its cancellation.
    static func open(_ text: String, status: Int = 200, onCancel: @escaping @Sendable () -> Void = {}) -> Self {
        Self { request in
            let (stream, continuation) = AsyncStream<Data>.makeStream()
            continuation.yield(Data(text.utf8))
            let head = try ResponseHead(statusCode: status, header: [.eventStream], url: request.url)
            return Response(head: head, content: ResponseBody(stream, onCancel: onCancel))
        }
    }
}

extension Field {
    static let eventStream = Field(name: .contentType, value: "text/event-stream")
}
