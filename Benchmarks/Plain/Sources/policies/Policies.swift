import Foundation
import Requests
import RequestsClient

/// Measures the CPU time that unused policies add to an exchange, in one run, interleaved.
///
///     policies [ROUNDS]
///
/// Fails if one of them adds more than half a microsecond.
@main
struct Policies {
    private static let exchanges = 2000
    private static let limit = 0.5

    static func main() async throws {
        let rounds = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 41
        let clients = try setups().map {
            (name: $0.name, client: Client(transport: Instant(), configuration: $0.value))
        }
        var times = clients.map { _ in [Double]() }
        // The first round warms up.
        for round in 0...rounds {
            for (index, setup) in clients.enumerated() {
                let time = try await microseconds(of: setup.client)
                if round > 0 { times[index].append(time) }
            }
        }
        print("processor time of an exchange, median of \(rounds) rounds of \(exchanges)")
        var passed = true
        for (index, setup) in clients.enumerated() {
            // Each round has its own bare exchange, because a busy machine slows both.
            let added = median(zip(times[index], times[0]).map { $0 - $1 })
            print(String(format: "  %7.3f µs  %+7.3f µs  %@", median(times[index]), added, setup.name))
            passed = passed && (added <= limit || index == clients.count - 1)
        }
        if !passed { print("a policy takes more than \(limit) µs") }
        exit(passed ? 0 : 1)
    }

    /// Runs off the main actor, like most code that sends requests.
    @concurrent
    private static func microseconds(of client: Client) async throws -> Double {
        let request = BaseURL("https://api.example.com").get(.data, from: "/users/7")
        let start = processorTime()
        for _ in 0..<exchanges { _ = try await client.send(request) }
        return (processorTime() - start) * 1e6 / Double(exchanges)
    }

    private static func processorTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

    private static func setups() throws -> [(name: String, value: Client.Configuration)] {
        var bare = Client.Configuration()
        bare.redirects = .never
        var others = CookieJar()
        let now = Date()
        for host in 0..<100 {
            let url = try RequestURL("https://\(host).example.org/")
            others.store([Field(name: .setCookie, value: "a=b; Max-Age=86400")], from: url, at: now)
        }
        let (empty, full) = (CookieStore(), CookieStore(others))
        let changes: [(String, (inout Client.Configuration) -> Void)] = [
            ("redirects", { $0.redirects = .follow() }),
            ("retries", { $0.retries = .exponential(limit: 4) }),
            ("an empty cookie store", { $0.cookies = empty }),
            ("cookies of 100 other hosts", { $0.cookies = full }),
            ("a bearer token", { $0.authenticate("https://api.example.com", with: .bearerToken("0123456789abcdef")) }),
            ("a total timeout", { $0.timeouts.total = .seconds(30) }),
            ("logs to nowhere", { $0.log = .all(.none, .none) }),
        ]
        return [("bare", bare)]
            + changes.map { name, change in
                var changed = bare
                change(&changed)
                return (name, changed)
            } + [("all of them", changes.reduce(into: bare) { $1.1(&$0) })]
    }
}

/// Responds at once.
private struct Instant: Transport {
    /// The capabilities of a runner, so that the client doesn't start a task to cancel a transport that never waits.
    let capabilities = ExchangeRunner(capabilities: []).capabilities

    func send(_ request: PreparedRequest, context: SendContext) async throws -> Response<ResponseBody> {
        let head = try ResponseHead(statusCode: 200, header: .empty, url: request.url, httpVersion: .http1_1)
        return Response(head: head, content: ResponseBody(Data()))
    }
}
