import Foundation
import RequestsTestSupport

@testable import Requests

/// One call in the enumeration: its machine, and everything around it that decides what can happen next.
struct CallWorld {
    var machine: CallMachine
    var environment = FixedEnvironment()
    let total: Duration?
    /// What failed last, by its code or status.
    var lastFailure: String?
    /// A request on which the server may have acted, and which must not be sent twice.
    var unsafe: String?
    var waits = 0
    var isCommitted = false
    var violation: String?

    init(_ request: PreparedRequest, _ settings: CallMachine.Settings, resuming: CallMachine.Resumption?) {
        machine = CallMachine(request, settings, resuming: resuming)
        total = settings.total
    }

    /// What decides about the rest of the call.
    struct Key: Hashable {
        var texts: [String]
        var numbers: [Int]
        var file: CallMachine.Resumption?
    }

    /// What decides about the rest of the call, errors as codes and time as whole seconds.
    var key: Key {
        let flags = [machine.isAway, machine.attemptMayHaveBeenProcessed, machine.mayHaveBeenProcessed]
        let counts = [machine.redirects.count, machine.challenges.count, machine.retries, environment.claims, waits]
        let time = total == nil ? 0 : Int(environment.elapsed.components.seconds)
        return Key(
            texts: [
                state, CallWorld.text(machine.request), CallWorld.text(machine.outgoing), machine.cookie ?? "",
                environment.cookies.keys.sorted().joined(), lastFailure ?? "", unsafe ?? "",
            ],
            numbers: flags.map { $0 ? 1 : 0 } + counts + [time],
            file: machine.resumption
        )
    }

    private var state: String {
        switch machine.state {
        case .ready: "ready"
        case .authenticating: "authenticating"
        case .sending: "sending"
        case .challenging(let head): "challenging \(head.statusCode)"
        case .receiving(.file): "receiving a file"
        case .receiving: "receiving"
        case .discarding(.attempt): "discarding"
        case .discarding(.resend): "discarding a challenge"
        case .discarding(.wait(let delay, let outcome)):
            "discarding \(delay.components.seconds) \(CallWorld.code(of: outcome))"
        case .waiting(let outcome): "waiting \(CallWorld.code(of: outcome))"
        case .ended: "ended"
        }
    }

    static func code(of outcome: RetryPolicy.Outcome) -> String {
        switch outcome {
        case .response(let head): "\(head.statusCode)"
        case .failure(let error): code(of: error)
        }
    }

    static func code(of error: any Error) -> String {
        switch error {
        case let error as TransportError: error.code.rawValue
        case let error as ResponseError: "\(error.head.statusCode)"
        case let error as ClientError: error.code.rawValue
        default: "other"
        }
    }

    private static func text(_ request: PreparedRequest) -> String {
        var text = request.method.rawValue + request.url.text
        for field in request.header { text += field.name.rawValue + field.value }
        return text
    }

    /// Tells the machine an event, and checks what it does next.
    mutating func tell(_ event: CallMachine.Event) -> CallMachine.Action {
        let claims = environment.claims
        let action = machine.next(event, in: &environment)
        check(action, hasClaimed: environment.claims > claims)
        return action
    }

    private mutating func check(_ action: CallMachine.Action, hasClaimed: Bool) {
        let remaining = total.map { $0 - environment.elapsed }
        switch action {
        case .send(let request, let limit):
            check(request)
            if let remaining, remaining <= .zero || limit != remaining { violation = "sent after the deadline" }
            if unsafe == "\(request.method) \(request.url)" { violation = "an unsafe request was repeated" }
            if isCommitted { violation = "something was sent after the commit point" }
            unsafe = nil
        case .wait(let delay):
            waits += 1
            if environment.claims < waits { violation = "a retry without the budget" }
            if let remaining, delay >= remaining { violation = "a wait beyond the deadline" }
        case .discard(_, let time):
            if let remaining, time > max(remaining, .zero) { violation = "draining beyond the deadline" }
        case .deliver: isCommitted = true
        case .fail(let error):
            let code = CallWorld.code(of: error)
            let isLate = code == "timedOut(total)" && remaining ?? .zero <= .zero
            let isDecision = error is ClientError || error is RequestError
            if code != lastFailure, !isLate, !isDecision { violation = "\(code) isn't the last error" }
        case .authenticate, .challenge, .receive: break
        }
        if hasClaimed {
            // The budget is asked last: a granted retry happens.
            switch action {
            case .wait, .discard: break
            default: if environment.claims <= environment.budget ?? .max { violation = "budget for no retry" }
            }
        }
    }

    /// Each credential contains the origin that may get it.
    private mutating func check(_ request: PreparedRequest) {
        let origin = "\(request.url.origin)"
        for field in request.header {
            for secret in field.value.components(separatedBy: "secret-").dropFirst() where !secret.hasPrefix(origin) {
                violation = "\(field.name) of another origin was sent to \(origin)"
            }
        }
    }
}
