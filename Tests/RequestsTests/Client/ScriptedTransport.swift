import RequestsTesting

/// A transport that replies from a script, and records the requests.
///
/// Like a real transport, it reads the request's body, and fails if a reply takes longer than the time that is left.
/// After the last reply, it fails with an error that isn't retried by default.
struct ScriptedTransport: Transport {
    /// A request as the transport got it.
    struct Sent: Sendable {
        let request: PreparedRequest
        let body: Data
        let attempt: Int
        let remaining: Duration?
        /// When it was sent, since the clock's start.
        let time: Duration
    }

    var capabilities = StubTransport { try .stub(200, for: $0) }.capabilities
    let clock: ScriptedClock
    private let reply: @Sendable (Int) -> Reply?
    private let recorder = Recorder<Sent>()

    /// - Parameter reply: Returns the reply to a request by its number, starting at 0.
    init(on clock: ScriptedClock = ScriptedClock(), reply: @escaping @Sendable (Int) -> Reply?) {
        self.clock = clock
        self.reply = reply
    }

    init(_ script: [Reply], on clock: ScriptedClock = ScriptedClock()) {
        self.init(on: clock) { $0 < script.count ? script[$0] : nil }
    }

    var sent: [Sent] { recorder.recorded }

    /// The URLs of the requests, as a test reads them best.
    var urls: [String] { sent.map(\.request.url.text) }

    /// The values of a field in each request.
    func values(of name: Field.Name) -> [String?] { sent.map { $0.request.header[name] } }

    func send(_ request: PreparedRequest, context: SendContext) async throws -> Response<ResponseBody> {
        var body = Data()
        if let data = request.body.data {
            body = data
        } else if !request.body.isNone {
            let reader = try request.body.makeReader()
            while let chunk = try await reader.next() { body.append(chunk) }
        }
        let index = recorder.count
        recorder.record(
            Sent(
                request: request,
                body: body,
                attempt: context.attempt,
                remaining: context.deadline.remaining,
                time: clock.elapsed
            )
        )
        guard let reply = reply(index) else {
            throw TransportError(code: .malformed, message: "the script has no more replies", phase: .receiving)
        }
        if let remaining = context.deadline.remaining, remaining <= reply.duration {
            clock.advance(by: remaining)
            throw TransportError(code: .timedOut(.total), message: "too late", phase: .receiving)
        }
        clock.advance(by: reply.duration)
        return try reply.respond(request)
    }

    /// A client on the transport's clock, whose date and random numbers are fixed.
    func client(_ configure: (inout Client.Configuration) -> Void = { _ in }) -> Client {
        var configuration = Client.Configuration()
        configuration.clock = clock
        configuration.drainingClock = TestClock()
        configuration.date = { Date(timeIntervalSince1970: 0) }
        configuration.random = { 0.5 }
        configure(&configuration)
        return Client(transport: self, configuration: configuration)
    }
}

extension ScriptedTransport {
    /// A reply of a script: a response or an error.
    struct Reply: Sendable {
        let respond: @Sendable (PreparedRequest) throws -> Response<ResponseBody>
        var duration = Duration.zero

        /// Returns the reply with the time that it takes.
        func taking(_ duration: Duration) -> Reply { Reply(respond: respond, duration: duration) }

        static func status(_ statusCode: Int, _ header: Header = [], _ text: String = "") -> Reply {
            Reply { try .stub(statusCode, header: header, body: Data(text.utf8), for: $0) }
        }

        /// A response whose body isn't in memory.
        static func body(_ statusCode: Int, _ header: Header = [], _ body: ResponseBody) -> Reply {
            Reply { try Response(status: statusCode, header: header, content: body, for: $0) }
        }

        /// A response whose body breaks after some bytes.
        static func broken(
            _ statusCode: Int = 200,
            _ header: Header = [],
            _ text: String = "",
            _ code: TransportError.Code = .truncated
        ) -> Reply {
            Reply {
                let body = AsyncThrowingStream<Data, any Error> { continuation in
                    if !text.isEmpty { continuation.yield(Data(text.utf8)) }
                    continuation.finish(throwing: TransportError(code: code, message: "broken", phase: .receiving))
                }
                return try Response(status: statusCode, header: header, content: ResponseBody(body), for: $0)
            }
        }

        static func redirect(_ statusCode: Int = 302, to location: String, _ header: Header = []) -> Reply {
            .status(statusCode, Header([Field(name: .location, value: location)] + header))
        }

        static func error(_ error: any Error) -> Reply { Reply { _ in throw error } }

        /// A connection that can't be opened, so that nothing was sent.
        static let refused = error(TransportError(code: .cannotConnect, message: "broken", phase: .connecting))

        /// A connection that the server closed while the request was sent.
        static let closed = error(TransportError(code: .closed, message: "broken", phase: .sending))
    }
}

/// A clock that records waits, which end at once and advance it.
///
/// The timer of a deadline ends only when the clock reaches it. In tests with such timers, the waits end at whole
/// seconds and the deadlines don't, which tells them apart.
struct ScriptedClock: Clock {
    struct Wait: Equatable, Sendable {
        let start: Duration
        let duration: Duration
    }

    private let base = TestClock()
    private let start: TestClock.Instant
    private let recorder = Recorder<Wait>()
    /// By how much each wait is too long.
    var oversleeping = Duration.zero
    /// The error of each wait.
    var failure: (any Error)?

    init(oversleeping: Duration = .zero, failure: (any Error)? = nil) {
        start = base.now
        self.oversleeping = oversleeping
        self.failure = failure
    }

    var now: TestClock.Instant { base.now }
    var minimumResolution: Duration { .zero }
    var elapsed: Duration { start.duration(to: now) }
    var allWaits: [Wait] { recorder.recorded }
    var waits: [Duration] { allWaits.map(\.duration) }

    func advance(by duration: Duration) { base.advance(by: duration) }

    func sleep(until deadline: TestClock.Instant, tolerance: Duration?) async throws {
        guard start.duration(to: deadline).components.attoseconds == 0 else {
            return try await base.sleep(until: deadline, tolerance: nil)
        }
        let duration = now.duration(to: deadline)
        try Task.checkCancellation()
        recorder.record(Wait(start: elapsed, duration: duration))
        if let failure { throw failure }
        advance(by: max(duration, .zero) + oversleeping)
    }
}

/// Answers each of some statuses with another request, whose `Authorization` is the number of the request.
struct AnsweringFlow: AuthenticationFlow {
    private let statuses: Set<Int>
    private let change: @Sendable (inout PreparedRequest) -> Void
    private var last: PreparedRequest?
    private var count = 0

    init(_ statuses: Set<Int>, _ change: @escaping @Sendable (inout PreparedRequest) -> Void = { _ in }) {
        self.statuses = statuses
        self.change = change
    }

    mutating func start(_ request: inout PreparedRequest) {
        authenticate(&request)
    }

    mutating func next(after head: ResponseHead) -> Step {
        guard statuses.contains(head.statusCode), var request = last else { return .done }
        authenticate(&request)
        return .sendAgain(request)
    }

    private mutating func authenticate(_ request: inout PreparedRequest) {
        count += 1
        request.header.set(.authorization("\(count)"))
        change(&request)
        last = request
    }
}

extension AuthenticationProvider {
    /// Answers each of some statuses with another request.
    static func answering(
        _ statuses: Set<Int>,
        _ change: @escaping @Sendable (inout PreparedRequest) -> Void = { _ in }
    ) -> AuthenticationProvider {
        AuthenticationProvider { AnsweringFlow(statuses, change) }
    }
}

/// The code of an error, or its status.
func errorCode(_ error: (any Error)?) -> String? {
    switch error {
    case let error as TransportError: error.code.rawValue
    case let error as ResponseError: error.code == .status ? "\(error.head.statusCode)" : error.code.rawValue
    case let error as ClientError: error.code.rawValue
    case let error as RequestError: error.code.rawValue
    case let error?: "\(type(of: error))"
    case nil: nil
    }
}

/// Runs an operation, and returns the error that it throws.
func failure(of operation: () async throws -> Void) async -> (any Error)? {
    do {
        try await operation()
        return nil
    } catch {
        return error
    }
}
