import Foundation
import RequestsTestSupport

@testable import Requests

/// A call whose responses come from a test.
struct ScriptedCall {
    var machine: CallMachine
    var environment = FixedEnvironment()
    /// How long it takes to discard a response.
    var discardTime = Duration.zero
    private(set) var action = CallMachine.Action.fail(CancellationError())
    /// The times that discarding was allowed to take.
    private(set) var discards: [Duration] = []

    init(
        _ request: PreparedRequest,
        resuming file: CallMachine.Resumption? = nil,
        environment: FixedEnvironment = .init(),
        _ change: (inout CallMachine.Settings) -> Void = { _ in }
    ) {
        var settings = CallMachine.Settings()
        settings.retries = .fixed(.seconds(1), limit: 2)
        change(&settings)
        machine = CallMachine(request, settings, resuming: file)
        self.environment = environment
        tell(.begin)
    }

    mutating func tell(_ event: CallMachine.Event) {
        action = machine.next(event, in: &environment)
        while case .discard(_, let time) = action {
            discards.append(time)
            environment.elapsed += discardTime
            action = machine.next(.discarded, in: &environment)
        }
    }

    /// Responds to the request that was sent.
    mutating func respond(_ status: Int, _ header: Header = [], isDecoded: Bool = false) throws {
        let head = try ResponseHead(statusCode: status, header: header, url: machine.outgoing.url)
        tell(.response(head, isDecoded: isDecoded))
    }

    /// Fails before the request is sent, or while it is.
    mutating func fail(_ code: TransportError.Code, isSending: Bool = false) {
        tell(.failed(TransportError(code: code, message: "broken", phase: isSending ? .sending : .connecting)))
    }

    /// The request, if one is sent now.
    var sent: PreparedRequest? {
        if case .send(let request, _) = action { request } else { nil }
    }

    /// The statuses before the delivered response.
    var history: [Int]? {
        if case .deliver(let history) = action { history.map(\.statusCode) } else { nil }
    }

    var error: (any Error)? {
        if case .fail(let error) = action { error } else { nil }
    }

    var code: String? { error.map(CallWorld.code) }

    /// The kind of the action.
    var name: String {
        switch action {
        case .authenticate: "authenticate"
        case .challenge: "challenge"
        case .send: "send"
        case .receive(let commit): "receive \(commit)"
        case .discard: "discard"
        case .wait(let delay): "wait \(delay)"
        case .deliver: "deliver"
        case .fail: "fail"
        }
    }

    static let flow = AuthenticationProvider(flow: { Flow() })

    private struct Flow: AuthenticationFlow {
        func start(_ request: inout PreparedRequest) {}
    }
}

extension PreparedRequest {
    /// A request to `https://a.example/`.
    static func test(
        _ method: HTTPMethod = .get,
        _ header: Header = [],
        body: RequestBody = .none,
        to url: String = "https://a.example/"
    ) throws -> PreparedRequest {
        try PreparedRequest(method: method, url: RequestURL(url), header: header, body: body)
    }
}
