import RequestsTestSupport
import RequestsTesting
import Testing

/// Enumerates the scripts of replies that a call can meet, and checks what it sent, how long it waited, and its error.
@Suite("Every script of replies", .timeLimit(.minutes(60)))
struct CallScriptsTests {
    @Test(
        "keeps credentials at their origin, repeats only what is safe, stays within its limits, and ends with its error",
        arguments: ScriptSettings.Method.allCases,
        ScriptSettings.Authentication.allCases
    )
    func invariants(method: ScriptSettings.Method, authentication: ScriptSettings.Authentication) async throws {
        var (scripts, requests) = (0, 0)
        for settings in ScriptSettings.all(method, authentication) {
            var script = ScriptOdometer(depth: settings.depth, letters: ScriptReply.allCases.count)
            repeat {
                let run = try await ScriptRun(settings, script.digits.map { ScriptReply.allCases[$0] })
                scripts += 1
                requests += run.trace.count
                if let violation = run.violation {
                    Issue.record("\(violation): \(settings): \(run.trace.map(\.reply.rawValue)): \(run.outcome)")
                    return
                }
                script.advance(used: run.trace.count)
            } while !script.isOver
        }
        print("\(method), \(authentication): \(scripts) scripts, \(requests) requests")
    }
}

/// Counts through all scripts. A call that ends early skips the scripts that differ only afterwards.
struct ScriptOdometer {
    private(set) var digits: [Int]
    private let letters: Int
    private(set) var isOver = false

    init(depth: Int, letters: Int) {
        digits = Array(repeating: 0, count: depth)
        self.letters = letters
    }

    /// - Parameter used: The number of replies that the call needed.
    mutating func advance(used: Int) {
        var index = min(used, digits.count) - 1
        while index >= 0, digits[index] == letters - 1 { index -= 1 }
        guard index >= 0 else { return isOver = true }
        digits[index] += 1
        for rest in digits.indices.dropFirst(index + 1) { digits[rest] = 0 }
    }
}

/// The reply to a request.
enum ScriptReply: String, CaseIterable {
    case ok = "200", noContent = "204", challenge = "401", expectation = "417", unavailable = "503"
    case unavailableUntil = "503 with Retry-After", here = "307 here", elsewhere = "302 elsewhere"
    case unencrypted = "307 to http", refused, closed, truncated

    var statusCode: Int? {
        switch self {
        case .ok, .truncated: 200
        case .noContent: 204
        case .challenge: 401
        case .expectation: 417
        case .unavailable, .unavailableUntil: 503
        case .here, .unencrypted: 307
        case .elsewhere: 302
        case .refused, .closed: nil
        }
    }

    var isRedirect: Bool { [.here, .elsewhere, .unencrypted].contains(self) }

    /// Whether the server may have acted on the request.
    var mayHaveBeenProcessed: Bool { ![.refused, .challenge, .expectation].contains(self) }

    /// Whether the policy retries a request after it, if that is safe.
    var isRetried: Bool { [.unavailable, .unavailableUntil, .refused, .closed, .truncated].contains(self) }

    /// The code of the error that a caller gets. `nil` for a success.
    var code: String? {
        switch self {
        case .ok, .noContent: nil
        case .refused: "cannotConnect"
        case .closed: "closed"
        case .truncated: "truncated"
        default: statusCode.map(String.init)
        }
    }

    /// Each credential in a response names the origin that it is for.
    func respond(to request: PreparedRequest) throws -> Response<ResponseBody> {
        guard let statusCode else {
            throw TransportError(
                code: self == .closed ? .closed : .cannotConnect,
                message: "broken",
                phase: self == .closed ? .receiving : .connecting
            )
        }
        let origin = request.url.origin
        let security = origin.scheme == "https" ? "; Secure" : ""
        let cookie = "\(origin.scheme)=\(ScriptSettings.secret(of: origin))\(security)"
        var header: Header = [Field(name: .setCookie, value: cookie)]
        let other = origin.host == "a.example" ? "b" : "a"
        let location: String? =
            switch self {
            case .here: "/next"
            case .elsewhere: "https://\(other).example/"
            case .unencrypted: "http://\(origin.host)/"
            default: nil
            }
        if let location { header.set(Field(name: .location, value: location)) }
        if self == .unavailableUntil { header.set(Field(name: .retryAfter, value: "2")) }
        guard self == .truncated else { return try .stub(statusCode, header: header, for: request) }
        let broken = AsyncThrowingStream<Data, any Error> {
            throw TransportError(code: .truncated, message: "broken", phase: .receiving)
        }
        return try Response(status: statusCode, header: header, content: ResponseBody(broken), for: request)
    }
}

/// The settings of a call.
struct ScriptSettings: CustomStringConvertible {
    enum Method: String, CaseIterable {
        case get, post, keyedPost
    }

    enum Authentication: String, CaseIterable {
        /// A flow that answers every 401 is the strictest test of the limit of challenges.
        case none, bearer, refreshing, answering
    }

    static let redirectLimit = 2

    /// A credential of the first origin.
    private static let secret = "secret-https//a.example"

    /// A credential that contains its origin, without the characters that a token can't have.
    static func secret(of origin: RequestURL.Origin) -> String { "secret-\(origin.scheme)//\(origin.host)" }

    let method: Method
    let authentication: Authentication
    let retryLimit: Int
    /// Not whole seconds, because of ``ScriptedClock``.
    let total: Duration?
    let oversleeping: Duration

    static func all(_ method: Method, _ authentication: Authentication) -> [ScriptSettings] {
        let times: [(Duration?, Duration)] = [
            (nil, .zero), (.milliseconds(4_500), .zero), (.milliseconds(4_500), .seconds(100)),
        ]
        return [0, 2].flatMap { retryLimit in
            times.filter { retryLimit > 0 || $0.1 == .zero }.map { total, oversleeping in
                ScriptSettings(
                    method: method,
                    authentication: authentication,
                    retryLimit: retryLimit,
                    total: total,
                    oversleeping: oversleeping
                )
            }
        }
    }

    /// The number of replies that the enumeration varies. The last one is repeated until the call ends.
    var depth: Int { authentication == .refreshing && method == .post ? 4 : 3 }

    var allowsDowngrade: Bool { total == nil }

    var description: String {
        "\(method), \(authentication), \(retryLimit) retries, \(total.map { "\($0)" } ?? "no total"), "
            + "oversleeping \(oversleeping)"
    }

    func configure(_ configuration: inout Client.Configuration) {
        configuration.cookies = CookieStore()
        configuration.timeouts.total = total
        configuration.redirects = .follow(limit: Self.redirectLimit, allowsDowngrade: allowsDowngrade)
        if retryLimit > 0 { configuration.retries = .fixed(.seconds(1), limit: retryLimit) }
        let secret = Self.secret
        let provider: AuthenticationProvider =
            switch authentication {
            case .none: .none
            case .bearer: .bearerToken(secret)
            case .refreshing: .refreshing(TokenStore(AccessToken(secret)) { _ in AccessToken(secret) })
            case .answering: .answering([401]) { $0.header.set(.authorization(secret)) }
            }
        configuration.authenticate("https://a.example", with: provider)
    }

    func request() throws -> PreparedRequest {
        var header: Header = [
            Field(name: .cookie, value: "own=\(Self.secret)"), Field(name: "X-Own", value: Self.secret).sensitive(),
            Field(name: "Expect", value: "x"),
        ]
        if method == .keyedPost { header.set(.idempotencyKey("7")) }
        return try PreparedRequest(
            method: method == .get ? .get : .post,
            url: RequestURL("https://a.example/"),
            header: header,
            body: method == .get ? .none : .data(Data("x".utf8))
        )
    }
}
