import Foundation
import RequestsTesting
import Testing

@Suite("Secrets in output", .timeLimit(.minutes(5)))
struct CanaryTests {
    /// Twelve secrets, one for each place that can contain one.
    private enum Canary: String, CaseIterable {
        case header = "c4nary-header"
        case cookie = "c4nary-cookie"
        case query = "c4nary-query"
        case userInfo = "c4nary-userinfo"
        case json = "c4nary-json"
        case form = "c4nary-form"
        case multipart = "c4nary-multipart"
        case proxy = "c4nary-proxy"
        case refreshToken = "c4nary-refresh"
        case responseBody = "c4nary-body"
        case location = "c4nary-location"
        case setCookie = "c4nary-setcookie"
    }

    private struct Own: Error {
        let secret = Canary.refreshToken.rawValue
    }

    private let printed = Recorder<String>()

    /// Records all descriptions of a value.
    private func keep(_ value: Any) {
        var dumped = ""
        dump(value, to: &dumped)
        printed.record("\(value)")
        printed.record(String(reflecting: value))
        printed.record(dumped)
        if let error = value as? any Error { printed.record(error.localizedDescription) }
    }

    private func client(refreshing: Bool, status: @escaping @Sendable (PreparedRequest) -> Int) -> Client {
        var configuration = Client.Configuration()
        let cookies = CookieStore()
        configuration.cookies = cookies
        configuration.clock = TestClock(isImmediate: true)
        configuration.retries = .fixed(.seconds(1), limit: 2)
        configuration.header = [
            Field(name: .proxyAuthorization, value: Canary.proxy.rawValue), .authorization(Canary.header.rawValue),
        ]
        if refreshing {
            let token = AccessToken(Canary.refreshToken.rawValue, refreshToken: Canary.refreshToken.rawValue)
            configuration.authenticate("https://a.example", with: .refreshing(TokenStore(token) { _ in throw Own() }))
        }
        configuration.log = LogDestination { [printed] event in
            printed.record("\(event)")
            var dumped = ""
            dump(event, to: &dumped)
            printed.record(dumped)
        }
        configuration.onFailure = { [printed] failure in
            printed.record("\(failure)")
            printed.record("\(failure.request as Any)")
        }
        configuration.middleware = [
            Interception { [printed] request, _, next in
                let response = try await next(request)
                printed.record("\(request) \(response.head)")
                return response
            }
        ]
        let transport = StubTransport { request in
            var header: Header = [Field(name: .setCookie, value: "session=\(Canary.setCookie.rawValue)")]
            if status(request) == 302 {
                header.add(Field(name: .location, value: "/next?access_token=\(Canary.location.rawValue)"))
            }
            if status(request) == 0 { throw TransportError(code: .closed, message: "closed", phase: .sending) }
            return try .stub(
                status(request),
                header: header,
                body: Data(Canary.responseBody.rawValue.utf8),
                for: request
            )
        }
        return Client(transport: transport, configuration: configuration)
    }

    private var bodies: [BodyProvider] {
        let multipart =
            "--b\r\nContent-Disposition: form-data; name=\"p\"\r\n\r\n\(Canary.multipart.rawValue)\r\n--b--\r\n"
        return [
            .json(encoded: ["password": Canary.json.rawValue]),
            .raw(data: Data("password=\(Canary.form.rawValue)".utf8), contentType: .urlEncodedForm),
            .raw(data: Data(multipart.utf8), contentType: MediaType(type: "multipart", subtype: "form-data")),
        ]
    }

    private func send(_ client: Client, _ api: BaseURL) async {
        for body in bodies {
            let request = api.put(body, to: "/a").with(query: ["api_key": Canary.query.rawValue])
                .adding(headerField: Field(name: .cookie, value: "c=\(Canary.cookie.rawValue)"))
                .receiving(.json(Int.self))
            keep("\(request)")
            switch await client.result(of: request) {
            case .success(let value): keep(value)
            case .failure(let error): keep(error)
            }
            do {
                let response = try await client.stream(request)
                printed.record("\(response) \(response.history)")
            } catch {
                keep(error)
            }
        }
    }

    @Test("No secret is printed in successes, failures, retries and redirects", arguments: [false, true])
    func canaries(refreshing: Bool) async throws {
        let api = BaseURL("https://a.example")
        let statuses: [@Sendable (PreparedRequest) -> Int] = [
            { _ in 200 }, { _ in 404 }, { _ in 503 }, { _ in 0 }, { _ in 401 },
            { $0.url.path == "/a" ? 302 : 200 }, { _ in 302 },
        ]
        for status in statuses { await send(client(refreshing: refreshing, status: status), api) }
        let userInfo = try #require(URL(string: "https://user:\(Canary.userInfo.rawValue)@a.example"))
        await send(client(refreshing: refreshing) { _ in 200 }, BaseURL(baseURL: userInfo))

        #expect(printed.count > 300)
        #expect(printed.recorded.contains { $0.contains("redirectLimit") })
        #expect(printed.recorded.contains { $0.contains("will be sent again") })
        #expect(printed.recorded.contains { $0.contains("refreshFailed") } == refreshing)
        for canary in Canary.allCases {
            let leak = printed.recorded.first { $0.contains(canary.rawValue) }
            #expect(leak == nil, "\(canary) is printed")
        }
    }
}
