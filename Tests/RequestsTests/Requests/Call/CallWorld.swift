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

    /// What decides about the rest of the call, errors as codes and time as whole seconds.
    var key: String {
        var parts = [
            state, CallWorld.text(machine.request), CallWorld.text(machine.outgoing), machine.cookie ?? "",
            "\(machine.redirects.count) \(machine.challenges.count) \(machine.retries) \(machine.isAway)",
            "\(machine.attemptMayHaveBeenProcessed) \(machine.mayHaveBeenProcessed) \(environment.claims)",
            environment.cookies.keys.sorted().joined(), lastFailure ?? "", unsafe ?? "", "\(waits)",
        ]
        if total != nil { parts.append("\(environment.elapsed)") }
        if let file = machine.resumption { parts.append("\(file)") }
        return parts.joined(separator: "|")
    }

    private var state: String {
        switch machine.state {
        case .challenging(let head): "challenging \(head.statusCode)"
        case .discarding(.wait(let delay, let outcome)): "discarding \(delay) \(CallWorld.code(of: outcome))"
        case .waiting(let outcome): "waiting \(CallWorld.code(of: outcome))"
        case .receiving(let commit): "receiving \(commit)"
        default: "\(machine.state)"
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

    static func text(_ request: PreparedRequest) -> String {
        "\(request.method) \(request.url.text) "
            + request.header.map { "\($0.name)=\($0.value)" }.joined(separator: ",")
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
