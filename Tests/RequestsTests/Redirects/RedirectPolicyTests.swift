import Requests
import RequestsTestSupport
import Testing

@Suite("Redirect policy", .timeLimit(.minutes(5)))
struct RedirectPolicyTests {
    func head(_ status: Int, _ locations: String?..., of request: PreparedRequest) throws -> ResponseHead {
        let fields = locations.compactMap { $0 }.map { Field(name: .location, value: $0) }
        return try ResponseHead(statusCode: status, header: Header(fields), url: request.url)
    }

    func get(_ url: String = "https://a.example/old") throws -> PreparedRequest {
        try PreparedRequest(url: RequestURL(url))
    }

    func step(
        _ status: Int = 302,
        _ location: String,
        from url: String = "https://a.example/old",
        _ policy: RedirectPolicy = .follow()
    ) throws -> RedirectPolicy.Step {
        let request = try get(url)
        return policy.step(after: try head(status, location, of: request), to: request)
    }

    func followed(_ step: RedirectPolicy.Step) -> String? {
        if case .follow(let next) = step { next.url.text } else { nil }
    }

    func fault(_ step: RedirectPolicy.Step) -> ClientError? {
        if case .stop(let error) = step { error } else { nil }
    }

    func isDelivered(_ step: RedirectPolicy.Step) -> Bool {
        if case .deliver = step { true } else { false }
    }

    @Test(
        "A status that isn't a redirect, and a redirect without Location, are delivered",
        arguments: [100, 200, 201, 300, 304, 305, 306, 309, 399, 400, 500]
    )
    func others(status: Int) throws {
        #expect(isDelivered(try step(status, "/new")))
        let request = try get()
        #expect(isDelivered(RedirectPolicy.follow().step(after: try head(302, nil, of: request), to: request)))
    }

    @Test("Equal Locations count as one, and different ones throw")
    func severalLocations() throws {
        let request = try get()
        let same = RedirectPolicy.follow().step(after: try head(302, "/new", "/new", of: request), to: request)
        #expect(followed(same) == "https://a.example/new")
        let error = fault(RedirectPolicy.follow().step(after: try head(302, "/a", "/b", of: request), to: request))
        #expect(error?.code == .invalidRedirect)
        #expect(error?.message == "302 from https://a.example/old redirects to 2 different URLs.")
    }

    @Test("`.never` and a limit of 0 or less deliver each redirect", arguments: [0, -1])
    func never(limit: Int) throws {
        #expect(isDelivered(try step(302, "/new", .never)))
        #expect(isDelivered(try step(302, "/new", .follow(limit: limit))))
    }

    @Test("A condition receives the next request and decides")
    func condition() throws {
        let policy = RedirectPolicy.follow { head, next in head.statusCode == 302 && next.url.host == "a.example" }
        #expect(followed(try step(302, "/new", policy)) == "https://a.example/new")
        #expect(isDelivered(try step(302, "https://b.example/new", policy)))
        #expect(isDelivered(try step(301, "/new", policy)))
    }

    @Test("A redirect from https to http throws unless it is allowed")
    func downgrade() throws {
        let error = fault(try step(302, "http://a.example/new"))
        #expect(error?.code == .refusedDowngrade)
        #expect(
            error?.message
                == "302 from https://a.example/old leads to http://a.example/new, which isn't encrypted. "
                + "Allow it with .follow(allowsDowngrade: true)."
        )
        let allowed = try step(302, "http://a.example/new", .follow(allowsDowngrade: true))
        #expect(followed(allowed) == "http://a.example/new")
        #expect(followed(try step(302, "https://a.example/new", from: "http://a.example/old")) != nil)
    }

    @Test(
        "Only http and https URLs without user info are followed",
        arguments: [
            "ftp://a.example/", "javascript:alert(1)", "file:///etc/passwd", "//", "http:", "https://u:s3cret@b/",
        ]
    )
    func otherSchemes(location: String) throws {
        let error = fault(try step(302, location))
        #expect(error?.code == .invalidRedirect)
        #expect(error?.underlying is RequestError)
        #expect(error.map { "\($0)".contains("s3cret") } == false)
    }

    @Test(
        "The fragment is inherited unless the location has one",
        arguments: [
            ("/new", "https://a.example/new#old"), ("/new#new", "https://a.example/new#new"),
            ("/new#", "https://a.example/new#"),
        ]
    )
    func fragments(location: String, expected: String) throws {
        #expect(followed(try step(302, location, from: "https://a.example/old#old")) == expected)
    }

    @Test("A default port is the same origin as no port")
    func defaultPort() throws {
        var request = try get("https://a.example/old")
        request.header = [.authorization("x")]
        let head = try head(302, "https://A.EXAMPLE:443/new", of: request)
        guard case .follow(let next) = RedirectPolicy.follow().step(after: head, to: request) else {
            Issue.record("not followed")
            return
        }
        #expect(next.header.contains(.authorization))
    }

    @Test("One redirect above the limit throws an error with all heads")
    func limit() throws {
        var history: [ResponseHead] = []
        for number in 0..<3 {
            let request = try get("https://a.example/\(number)")
            let head = try head(302, "/\(number + 1)", of: request)
            let step = RedirectPolicy.follow(limit: 2).step(after: head, to: request, history: history)
            history.append(head)
            guard number == 2 else {
                #expect(followed(step) == "https://a.example/\(number + 1)")
                continue
            }
            let error = fault(step)
            #expect(error?.code == .redirectLimit)
            #expect(error?.history.count == 3)
            #expect(error?.history.map(\.url.path) == ["/0", "/1", "/2"])
            #expect(
                error?.message == "302 from https://a.example/2 is redirect 3, but at most 2 are allowed. "
                    + "Raise the limit with .follow(limit:)."
            )
        }
    }

    @Test("The default limit is 10")
    func defaultLimit() {
        #expect(RedirectPolicy.follow().limit == 10)
        #expect(!RedirectPolicy.follow().allowsDowngrade)
    }

    @Test("A redirect to an earlier URL is followed up to the limit", arguments: ["/old", "", "#other"])
    func repeatedURL(location: String) throws {
        let request = try get("https://a.example/old")
        let head = try head(302, location, of: request)
        let policy = RedirectPolicy.follow(limit: 2)
        #expect(followed(policy.step(after: head, to: request, history: [head])) != nil)
        #expect(fault(policy.step(after: head, to: request, history: [head, head]))?.code == .redirectLimit)
    }

    @Test("Policies are equal if limit and flags are, and conditions are compared by identity")
    func equality() {
        #expect(RedirectPolicy.follow() == .follow(limit: 10, allowsDowngrade: false))
        #expect(RedirectPolicy.follow() != .follow(limit: 9))
        #expect(RedirectPolicy.follow() != .follow(allowsDowngrade: true))
        let one = RedirectPolicy.follow { _, _ in true }
        #expect(one == one)
        #expect(one != .follow { _, _ in true })
    }

    private func post(_ body: BodyProvider) throws -> PreparedRequest {
        try BaseURL("https://a.example").post(body, to: "/old").prepared()
    }

    @Test(
        "A body doesn't follow a redirect to another origin, whatever it contains",
        arguments: [
            Named("a form", .form(["refresh_token": "c4nary"])), Named("JSON", .json(object: ["name": "c4nary"])),
            Named("multipart", .multipart(Multipart([.field("a", "c4nary")]))), Named("text", .text("c4nary")),
            Named("raw bytes", .raw(data: Data("password=c4nary".utf8))),
        ] as [Named<BodyProvider>],
        [307, 308]
    )
    func bodies(body: Named<BodyProvider>, status: Int) throws {
        let request = try post(body.value)
        let policy = RedirectPolicy.follow()
        let away = try head(status, "https://b.example/new", of: request)
        let error = fault(policy.step(after: away, to: request))
        #expect(error?.code == .crossOriginBody)
        #expect(error?.message.contains("https://b.example/new") == true)
        #expect(error?.message.contains("sendsBodyToOtherOrigins") == true)
        #expect(error?.message.contains("c4nary") == false)
        #expect(followed(policy.step(after: try head(status, "/new", of: request), to: request)) != nil)
        let away303 = try head(303, "https://b.example/new", of: request)
        #expect(followed(policy.step(after: away303, to: request)) != nil, "GET has no body")
        let open = RedirectPolicy.follow(sendsBodyToOtherOrigins: true)
        #expect(followed(open.step(after: away, to: request)) == "https://b.example/new")
    }

    @Test(
        "A body goes from http to https of the same host, and an empty one anywhere",
        arguments: [
            ("http://a.example/old", "https://a.example/new", "x", true),
            ("http://a.example:8080/old", "https://a.example:8443/new", "x", true),
            ("http://a.example/old", "https://www.a.example/new", "x", false),
            ("http://a.example/old", "http://a.example:81/new", "x", false),
            ("https://a.example/old", "http://a.example/new", "x", false),
            ("https://a.example/old", "https://b.example/new", "", true),
        ]
    )
    func upgrades(from: String, to: String, body: String, isSent: Bool) throws {
        let request = try PreparedRequest(method: .post, url: RequestURL(from), body: .data(Data(body.utf8)))
        let policy = RedirectPolicy.follow(allowsDowngrade: true)
        let step = policy.step(after: try head(307, to, of: request), to: request)
        #expect(followed(step) == (isSent ? to : nil))
        #expect(fault(step)?.code == (isSent ? nil : .crossOriginBody))
    }

    @Test("A request that was moved before it was sent has left its origin: its body and credentials stay behind")
    func moved() throws {
        var request = try post(.text("x"))
        request.header.set(.authorization("Bearer s3cret"))
        let sent = try PreparedRequest(method: .post, url: RequestURL("https://mirror.example/old"))
        for location in ["/next", "https://a.example/next"] {
            let step = RedirectPolicy.follow().step(after: try head(307, location, of: sent), to: request)
            #expect(fault(step)?.code == .crossOriginBody)
            let next = RedirectPolicy.follow().step(after: try head(303, location, of: sent), to: request)
            guard case .follow(let next) = next else { throw CancellationError() }
            #expect(!next.header.contains(.authorization))
        }
    }
}
