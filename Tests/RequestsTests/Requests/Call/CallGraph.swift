import Foundation
import RequestsTestSupport

@testable import Requests

/// Walks the graph of a call's states. Each state is visited once, so the walk ends if and only if every call does.
struct CallGraph {
    /// The number of ways from each state to an end.
    private var paths: [CallWorld.Key: Double] = [:]
    /// The states on the way to the current one.
    private var trail: Set<CallWorld.Key> = []
    /// The names of the steps on that way.
    private var names: [String] = []
    private(set) var edges = 0
    private(set) var violations: [String: String] = [:]

    var states: Int { paths.count }

    /// - Returns: The number of ways to an end.
    @discardableResult
    mutating func walk(_ start: CallWorld, _ alphabet: CallAlphabet) -> Double {
        var world = start
        let action = world.tell(.begin)
        return walk(world, action, alphabet)
    }

    private mutating func walk(
        _ world: CallWorld,
        _ action: CallMachine.Action,
        _ alphabet: CallAlphabet
    ) -> Double {
        // The first violation ends the walk, because a wrong machine can have endless states.
        guard violations.isEmpty else { return 0 }
        if let violation = world.violation {
            violations[violation] = names.joined(separator: ", ")
            return 0
        }
        switch action {
        case .deliver, .fail: return 1
        default: break
        }
        let key = world.key
        if let known = paths[key] { return known }
        guard trail.insert(key).inserted else {
            violations["a call without an end"] = names.joined(separator: ", ")
            return 0
        }
        var count = 0.0
        for step in alphabet.steps(after: action, world) {
            edges += 1
            var next = world
            step.change(&next)
            let following = next.tell(step.event)
            names.append(step.name)
            count += walk(next, following, alphabet)
            names.removeLast()
        }
        trail.remove(key)
        paths[key] = count
        return count
    }
}

/// What can come of an action.
struct CallAlphabet {
    struct Step {
        let name: String
        let event: CallMachine.Event
        var change: (inout CallWorld) -> Void = { _ in }
    }

    /// Whether a flow may move its request to another origin.
    var moves = false

    func steps(after action: CallMachine.Action, _ world: CallWorld) -> [Step] {
        switch action {
        case .authenticate(let request): authentications(request)
        case .challenge(let head): answers(head, world.machine.outgoing)
        case .send(let request, _): heads(request) + errors(request)
        case .receive(let commit): bodies(commit, world.machine.resumption)
        case .discard: discards(world)
        case .wait(let delay):
            [
                Step(name: "waited", event: .waited) { $0.environment.elapsed += delay },
                Step(name: "overslept", event: .waited) { $0.environment.elapsed += delay + .seconds(100) },
            ]
        case .deliver, .fail: []
        }
    }

    private func discards(_ world: CallWorld) -> [Step] {
        let discarded = Step(name: "discarded", event: .discarded)
        guard world.total != nil, case .discarding(.wait) = world.machine.state else { return [discarded] }
        let late = Step(name: "discarded late", event: .discarded) { $0.environment.elapsed += .seconds(3) }
        return [discarded, late]
    }

    private func authentications(_ request: PreparedRequest) -> [Step] {
        var signed = request
        // The credentials of the first origin, unless the flow has moved the call to another one.
        let owner = request.url.host == "c.example" ? "c" : "a"
        signed.header.set(.authorization("secret-https://\(owner).example"))
        var steps = [Step(name: "signed", event: .authenticated(signed)), failure("flow fails", Broken())]
        if moves, let url = try? RequestURL("https://c.example/m"), var moved = Optional(request) {
            moved.url = url
            moved.header.set(.authorization("secret-\(url.origin)"))
            steps.append(Step(name: "moved", event: .authenticated(moved)))
        }
        return steps
    }

    private func answers(_ head: ResponseHead, _ sent: PreparedRequest) -> [Step] {
        [
            Step(name: "accepted", event: .challenged(.done)),
            Step(name: "sent again", event: .challenged(.sendAgain(sent))),
            failure("flow fails", Broken()),
        ]
    }

    private func heads(_ request: PreparedRequest) -> [Step] {
        let answers: [(Int, Header)] = [
            (200, [.setCookie("secret-\(request.url.origin)")]), (401, []), (404, []), (417, []),
            (503, []), (503, [Field(name: .retryAfter, value: "2")]),
            (302, [.location("/next")]), (307, [.location("https://b.example/")]),
            (307, [.location("https://a.example/")]), (303, [.location("http://a.example/")]),
        ]
        return (answers + parts(request)).compactMap { status, header in
            guard let head = try? ResponseHead(statusCode: status, header: header, url: request.url) else { return nil }
            return Step(name: "\(request.method) \(request.url) \(status)", event: .response(head)) { world in
                world.environment.elapsed += .seconds(1)
                world.lastFailure = "\(status)"
                if !request.isRepeatable, ![401, 417].contains(status), !(300..<400).contains(status) {
                    world.unsafe = "\(request.method) \(request.url)"
                }
            }
        }
    }

    /// Parts of a file of 5 bytes, of the version that was asked for and of another one.
    private func parts(_ request: PreparedRequest) -> [(Int, Header)] {
        guard let range = request.header[.range], let start = Int(range.dropFirst(6).dropLast()) else { return [] }
        let tag = Field(name: .eTag, value: "\"1\"")
        func part(_ last: Int) -> Field { Field(name: "Content-Range", value: "bytes \(start)-\(last)/5") }
        return [
            (206, [part(start), tag]), (206, [part(4), tag]), (206, [part(4)]),
            (200, [tag, Field(name: .contentLength, value: "5")]),
            (416, [Field(name: "Content-Range", value: "bytes */\(start)")]),
        ]
    }

    private func errors(_ request: PreparedRequest) -> [Step] {
        [(TransportError.Code.cannotConnect, TransportError.Phase.connecting), (.closed, .sending)].map { code, phase in
            let error = TransportError(code: code, message: "", phase: phase)
            return Step(name: "\(request.method) \(request.url) \(code)", event: .failed(error)) { world in
                world.environment.elapsed += .seconds(1)
                world.lastFailure = code.rawValue
                if phase == .sending, !request.isRepeatable { world.unsafe = "\(request.method) \(request.url)" }
            }
        }
    }

    private func bodies(_ commit: CallMachine.Commit, _ file: CallMachine.Resumption?) -> [Step] {
        let truncated = TransportError(code: .truncated, message: "", phase: .receiving)
        let tooLarge = TransportError(code: .tooLarge, message: "", phase: .receiving)
        var bytes: Int64 = 5
        if let file, case .rest(let end) = file.part { bytes = end - file.count }
        return [
            Step(name: "too large", event: .failed(tooLarge)) { $0.lastFailure = "tooLarge" },
            Step(name: "body", event: .received(bytes: bytes)) { world in
                world.lastFailure = "truncated"
                if case .file = commit { return }
                world.isCommitted = true
            },
            Step(name: "broken body", event: .failed(truncated, receivedBytes: 1)) { $0.lastFailure = "truncated" },
            failure("unwritable", Broken()),
        ]
    }

    private func failure(_ name: String, _ error: any Error) -> Step {
        Step(name: name, event: .failed(error)) { $0.lastFailure = "other" }
    }

    struct Broken: Error {}
}

extension Field {
    fileprivate static func location(_ url: String) -> Field { Field(name: .location, value: url) }
    fileprivate static func setCookie(_ value: String) -> Field { Field(name: .setCookie, value: value) }
}
