import Foundation
import RequestsTestSupport
import Testing

@testable import Requests
import RequestsTesting

@Suite("Every call", .serialized, .timeLimit(.minutes(20)))
struct CallGraphTests {
    private enum Authentication: String, CaseIterable {
        case none, immediate, flow
    }

    private static func request(_ method: String) throws -> PreparedRequest {
        // The only field with a value for one origin that the caller sets.
        let cookie = Field(name: .cookie, value: "own=secret-https://a.example").sensitive()
        var header: Header = [cookie, Field(name: "Expect", value: "x")]
        if method == "POST with a key" { header.set(.idempotencyKey("7")) }
        let body: RequestBody = method == "GET" ? .none : method == "one-shot PUT" ? oneShot : .data(Data("x".utf8))
        return try PreparedRequest(
            method: method == "GET" ? .get : method.hasPrefix("POST") ? .post : .put,
            url: RequestURL("https://a.example/"),
            header: header,
            body: body
        )
    }

    private static var oneShot: RequestBody { .oneShot(Data("x".utf8)) }

    private static func authentication(_ kind: Authentication) -> AuthenticationProvider {
        switch kind {
        case .none: .inherited
        // Always the first origin's credentials, even if another request gets them.
        case .immediate: .signing { $0.header.set(.authorization("secret-https://a.example")) }
        case .flow: AuthenticationProvider(flow: { NoFlow() })
        }
    }

    private struct NoFlow: AuthenticationFlow {
        func start(_ request: inout PreparedRequest) {}
    }

    @Test(
        "ends, within its limits, and keeps credentials at their origin",
        arguments: ["GET", "POST", "POST with a key", "one-shot PUT"]
    )
    func graph(method: String) async throws {
        // Not on a thread of the pool, whose other tests must not wait for a minute.
        let violations = try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global(qos: .utility).async {
                continuation.resume(with: Result { try CallGraphTests.walk(method) })
            }
        }
        #expect(violations == [])
    }

    private static func walk(_ method: String) throws -> [String] {
        var (states, edges, paths) = (0, 0, 0.0)
        var violations: [String] = []
        for authentication in Authentication.allCases {
            for commit in [.head, .firstElement(.jsonLines()), .end(maximumBytes: 9), .file] as [CallMachine.Commit] {
                for (total, budget) in [(Duration?.none, Int?.none), (.seconds(4), nil), (.seconds(7), 1)] {
                    var settings = CallMachine.Settings()
                    settings.redirects = .follow(limit: 2)
                    settings.retries = .fixed(.seconds(1), limit: 2)
                    settings.authentication = CallGraphTests.authentication(authentication)
                    settings.maximumRoundTrips = 3
                    settings.commit = commit
                    settings.total = total
                    settings.accepts = { $0.status.isSuccess }
                    let file = commit == .file ? CallMachine.Resumption(count: 3, validator: "\"1\"", total: 5) : nil
                    var world = CallWorld(try CallGraphTests.request(method), settings, resuming: file)
                    world.environment.budget = budget
                    var graph = CallGraph()
                    // A third origin in one configuration only, because it triples the states.
                    let moves = authentication == .flow && total == nil && commit == .head
                    paths += graph.walk(world, CallAlphabet(moves: moves))
                    (states, edges) = (states + graph.states, edges + graph.edges)
                    for (violation, path) in graph.violations {
                        violations.append("\(authentication), \(commit), \(total ?? .zero): \(violation): \(path)")
                    }
                    guard violations.isEmpty else { return violations }
                }
            }
        }
        print("\(method): \(states) states, \(edges) edges, \(paths) paths")
        return violations
    }
}
