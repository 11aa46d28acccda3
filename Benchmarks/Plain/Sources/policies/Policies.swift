import Foundation
import RequestsCache
import RequestsClient

/// Measures the CPU time that unused policies add to an exchange, and that responses from a cache take more than it, in
/// one run, interleaved.
///
///     policies [ROUNDS]
///
/// Fails if a policy alone adds more than half a microsecond, or a response from a cache more than its limit.
@main
struct Policies {
    private static let exchanges = 2000

    private typealias Setup = (name: String, limit: Double?, value: Client.Configuration)

    static func main() async throws {
        let rounds = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 41
        let folder = FileManager.default.temporaryDirectory.appending(path: "cache-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let passed = try await measure(setups(folder), over: Stub(suspensions: 0), rounds, "that responds at once")
        // A timer never starts over a transport that responds at once.
        _ = try await measure(layers(), over: Stub(suspensions: 2), rounds, "that suspends twice")
        if !passed { print("a policy or a cache takes more than its limit") }
        exit(passed ? 0 : 1)
    }

    /// Prints the times of clients, the first of which is bare. Returns whether all are within their limits.
    private static func measure(_ setups: [Setup], over stub: Stub, _ rounds: Int, _ kind: String) async throws -> Bool
    {
        let clients = setups.map {
            (name: $0.name, limit: $0.limit, client: Client(transport: stub, configuration: $0.value))
        }
        var times = clients.map { _ in [Double]() }
        // The first round warms up.
        for round in 0...rounds {
            for (index, setup) in clients.enumerated() {
                let time = try await microseconds(of: setup.client)
                if round > 0 { times[index].append(time) }
            }
        }
        print("processor time of an exchange over a transport \(kind), median of \(rounds) rounds of \(exchanges)")
        var passed = true
        for (index, setup) in clients.enumerated() {
            // Each round has its own bare exchange, because a busy machine slows both.
            let added = median(zip(times[index], times[0]).map { $0 - $1 })
            let limit = setup.limit.map { ", at most +\($0) µs" } ?? ""
            print(String(format: "  %7.3f µs  %+7.3f µs  %@%@", median(times[index]), added, setup.name, limit))
            passed = passed && added <= setup.limit ?? .infinity
        }
        return passed
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

    /// Code of others around a call, which runs in a separate task.
    private static func layers() -> [Setup] {
        struct Pass: Middleware {
            func intercept(
                _ request: PreparedRequest,
                context: CallContext,
                next: @escaping Next
            ) async throws -> Response<ResponseBody> { try await next(request) }
        }
        var bare = Client.Configuration()
        bare.redirects = .never
        func changing(_ change: (inout Client.Configuration) -> Void) -> Client.Configuration {
            var changed = bare
            change(&changed)
            return changed
        }
        let tokens = TokenStore(AccessToken("0123456789abcdef")) { _ in AccessToken("0123456789abcdef") }
        return [
            ("bare", nil, bare),
            ("call middleware", nil, changing { $0.middleware = [Pass()] }),
            (
                "call middleware and a total timeout", nil,
                changing {
                    $0.middleware = [Pass()]
                    $0.timeouts.total = .seconds(30)
                }
            ),
            ("attempt middleware", nil, changing { $0.attemptMiddleware = [Pass()] }),
            (
                "attempt middleware and a total timeout", nil,
                changing {
                    $0.attemptMiddleware = [Pass()]
                    $0.timeouts.total = .seconds(30)
                }
            ),
            (
                "everything", nil,
                changing {
                    $0.authenticate("https://api.example.com", with: .refreshing(tokens))
                    $0.cookies = CookieStore()
                    $0.retries = .exponential(limit: 4)
                    $0.middleware = [Pass()]
                    $0.attemptMiddleware = [Pass()]
                    $0.cache = HTTPCache(.memory(bytes: 1 << 20))
                    $0.timeouts.total = .seconds(30)
                }
            ),
        ]
    }

    private static func setups(_ folder: URL) throws -> [Setup] {
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
        let caches: [(String, Double, HTTPCache)] = [
            ("2 KiB from a cache in memory", 6, HTTPCache(.memory(bytes: 1 << 20))),
            ("2 KiB from a cache in a folder", 60, HTTPCache(.directory(folder, bytes: 1 << 20))),
        ]
        func changing(_ change: (inout Client.Configuration) -> Void) -> Client.Configuration {
            var changed = bare
            change(&changed)
            return changed
        }
        return [("bare", nil, bare)] + changes.map { ($0, 0.5, changing($1)) }
            + [("all of them", nil, changes.reduce(into: bare) { $1.1(&$0) })]
            + caches.map { name, limit, cache in (name, limit, changing { $0.cache = cache }) }
    }
}

/// Responds with 2 KiB, which may be stored only if it responds at once.
private struct Stub: ExchangeTransport {
    let suspensions: Int

    /// Makes the client send without a task for each request. A transport that never waits doesn't use it.
    let runner = ExchangeRunner(capabilities: [])

    private static let stored: Header = [Field(name: "Cache-Control", value: "max-age=86400")]
    private static let unstored: Header = [Field(name: "Cache-Control", value: "no-store")]
    private static let body = Data(count: 2048)

    func send(_ request: PreparedRequest, context: SendContext) async throws -> Response<ResponseBody> {
        for _ in 0..<suspensions { await Task.yield() }
        let header = suspensions == 0 ? Stub.stored : Stub.unstored
        let head = try ResponseHead(statusCode: 200, header: header, url: request.url, httpVersion: .http1_1)
        return Response(head: head, content: ResponseBody(Stub.body))
    }

    func perform(_ exchange: Exchange) async throws {}
}
