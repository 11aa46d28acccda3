import Foundation
import Requests
import Testing

@Suite("A redirect policy")
struct RedirectPolicyTests {
    /// Method, whether the body and whether the credentials go along; or that it stops. For each origin.
    private static let replayable = """
        same                | scheme              | host                | port
        301 GET    | GET body secrets    | GET body -          | GET body -          | GET body -
        301 HEAD   | HEAD body secrets   | HEAD body -         | HEAD body -         | HEAD body -
        301 POST   | GET - secrets       | GET - -             | GET - -             | GET - -
        301 PUT    | PUT body secrets    | PUT body -          | PUT body -          | PUT body -
        301 PATCH  | PATCH body secrets  | PATCH body -        | PATCH body -        | PATCH body -
        301 DELETE | DELETE body secrets | DELETE body -       | DELETE body -       | DELETE body -
        302 GET    | GET body secrets    | GET body -          | GET body -          | GET body -
        302 HEAD   | HEAD body secrets   | HEAD body -         | HEAD body -         | HEAD body -
        302 POST   | GET - secrets       | GET - -             | GET - -             | GET - -
        302 PUT    | PUT body secrets    | PUT body -          | PUT body -          | PUT body -
        302 PATCH  | PATCH body secrets  | PATCH body -        | PATCH body -        | PATCH body -
        302 DELETE | DELETE body secrets | DELETE body -       | DELETE body -       | DELETE body -
        303 GET    | GET - secrets       | GET - -             | GET - -             | GET - -
        303 HEAD   | HEAD - secrets      | HEAD - -            | HEAD - -            | HEAD - -
        303 POST   | GET - secrets       | GET - -             | GET - -             | GET - -
        303 PUT    | GET - secrets       | GET - -             | GET - -             | GET - -
        303 PATCH  | GET - secrets       | GET - -             | GET - -             | GET - -
        303 DELETE | GET - secrets       | GET - -             | GET - -             | GET - -
        307 GET    | GET body secrets    | GET body -          | GET body -          | GET body -
        307 HEAD   | HEAD body secrets   | HEAD body -         | HEAD body -         | HEAD body -
        307 POST   | POST body secrets   | POST body -         | POST body -         | POST body -
        307 PUT    | PUT body secrets    | PUT body -          | PUT body -          | PUT body -
        307 PATCH  | PATCH body secrets  | PATCH body -        | PATCH body -        | PATCH body -
        307 DELETE | DELETE body secrets | DELETE body -       | DELETE body -       | DELETE body -
        308 GET    | GET body secrets    | GET body -          | GET body -          | GET body -
        308 HEAD   | HEAD body secrets   | HEAD body -         | HEAD body -         | HEAD body -
        308 POST   | POST body secrets   | POST body -         | POST body -         | POST body -
        308 PUT    | PUT body secrets    | PUT body -          | PUT body -          | PUT body -
        308 PATCH  | PATCH body secrets  | PATCH body -        | PATCH body -        | PATCH body -
        308 DELETE | DELETE body secrets | DELETE body -       | DELETE body -       | DELETE body -
        """

    private static let oneShot = """
        same                | scheme              | host                | port
        301 GET    | stop                | stop                | stop                | stop
        301 HEAD   | stop                | stop                | stop                | stop
        301 POST   | GET - secrets       | GET - -             | GET - -             | GET - -
        301 PUT    | stop                | stop                | stop                | stop
        301 PATCH  | stop                | stop                | stop                | stop
        301 DELETE | stop                | stop                | stop                | stop
        302 GET    | stop                | stop                | stop                | stop
        302 HEAD   | stop                | stop                | stop                | stop
        302 POST   | GET - secrets       | GET - -             | GET - -             | GET - -
        302 PUT    | stop                | stop                | stop                | stop
        302 PATCH  | stop                | stop                | stop                | stop
        302 DELETE | stop                | stop                | stop                | stop
        303 GET    | GET - secrets       | GET - -             | GET - -             | GET - -
        303 HEAD   | HEAD - secrets      | HEAD - -            | HEAD - -            | HEAD - -
        303 POST   | GET - secrets       | GET - -             | GET - -             | GET - -
        303 PUT    | GET - secrets       | GET - -             | GET - -             | GET - -
        303 PATCH  | GET - secrets       | GET - -             | GET - -             | GET - -
        303 DELETE | GET - secrets       | GET - -             | GET - -             | GET - -
        307 GET    | stop                | stop                | stop                | stop
        307 HEAD   | stop                | stop                | stop                | stop
        307 POST   | stop                | stop                | stop                | stop
        307 PUT    | stop                | stop                | stop                | stop
        307 PATCH  | stop                | stop                | stop                | stop
        307 DELETE | stop                | stop                | stop                | stop
        308 GET    | stop                | stop                | stop                | stop
        308 HEAD   | stop                | stop                | stop                | stop
        308 POST   | stop                | stop                | stop                | stop
        308 PUT    | stop                | stop                | stop                | stop
        308 PATCH  | stop                | stop                | stop                | stop
        308 DELETE | stop                | stop                | stop                | stop
        """

    private static let locations = [
        "same": "http://a.example/new", "scheme": "https://a.example/new", "host": "http://b.example/new",
        "port": "http://a.example:8080/new",
    ]

    struct Row: Sendable, CustomTestStringConvertible {
        let status: Int
        let method: HTTPMethod
        let origin: String
        let isReplayable: Bool
        let expected: [String]

        var testDescription: String { "\(status) \(method) \(origin) \(isReplayable)" }
    }

    static let rows: [Row] = [(replayable, true), (oneShot, false)].flatMap { table, isReplayable in
        let lines = table.split(separator: "\n").map { line in
            line.split(separator: "|").map { $0.split(separator: " ").map { String($0) } }
        }
        return lines.dropFirst().flatMap { line in
            zip(lines[0], line.dropFirst()).map { origin, cell in
                Row(
                    status: Int(line[0][0]) ?? 0,
                    method: HTTPMethod(rawValue: line[0][1]),
                    origin: origin[0],
                    isReplayable: isReplayable,
                    expected: cell
                )
            }
        }
    }

    private static let secrets: [Field.Name] = ["AUTHORIZATION", .cookie, .proxyAuthorization, .host, "X-Marked"]

    @Test("sends on the right method, body and credentials", arguments: rows)
    func table(row: Row) throws {
        var header: Header = [.contentType(.json), Field(name: "Content-Language", value: "en"), .accept(.json)]
        for name in Self.secrets { header.add(Field(name: name, value: "x").sensitive()) }
        let body = row.isReplayable ? RequestBody.data(Data("x".utf8)) : .stream(InputStream(data: Data("x".utf8)))
        let request = try PreparedRequest(
            method: row.method,
            url: RequestURL("http://a.example/old"),
            header: header,
            body: body
        )
        let location = try #require(Self.locations[row.origin])
        let step = RedirectPolicy.follow().step(after: try head(row.status, location, of: request), to: request)
        switch step {
        case .follow(let next):
            let names = next.header.map(\.name)
            #expect(next.url.text == location)
            #expect(next.method.rawValue == row.expected.first)
            #expect(next.body == (row.expected.dropFirst().first == "body" ? body : .none))
            #expect(
                Array(names.prefix { $0 != "AUTHORIZATION" })
                    == (row.expected.dropFirst().first == "body"
                        ? [.contentType, "Content-Language", .accept] : [.accept])
            )
            #expect(Array(names.drop { $0 != "AUTHORIZATION" }) == (row.expected.last == "secrets" ? Self.secrets : []))
        case .stop(let error):
            #expect(row.expected == ["stop"])
            #expect(error.code == .bodyNotReplayable)
            #expect(error.history.map(\.statusCode) == [row.status])
            #expect(
                error.message == "\(row.status) from http://a.example/old asks for the request at \(location), "
                    + "and the body can be read once; use a body of data or of a file"
            )
        case .deliver:
            Issue.record("delivered")
        }
    }

    @Test("the table has 5 statuses, 6 methods, 4 origins, replayable or not")
    func size() {
        #expect(Self.rows.count == 5 * 6 * 4 * 2)
    }

    private func head(_ status: Int, _ locations: String?..., of request: PreparedRequest) throws -> ResponseHead {
        let fields = locations.compactMap { $0 }.map { Field(name: .location, value: $0) }
        return try ResponseHead(statusCode: status, header: Header(fields), url: request.url)
    }

    private func get(_ url: String = "https://a.example/old") throws -> PreparedRequest {
        try PreparedRequest(url: RequestURL(url))
    }

    private func step(
        _ status: Int = 302,
        _ location: String,
        from url: String = "https://a.example/old",
        _ policy: RedirectPolicy = .follow()
    ) throws -> RedirectPolicy.Step {
        let request = try get(url)
        return policy.step(after: try head(status, location, of: request), to: request)
    }

    private func followed(_ step: RedirectPolicy.Step) -> String? {
        if case .follow(let next) = step { next.url.text } else { nil }
    }

    private func fault(_ step: RedirectPolicy.Step) -> ClientError? {
        if case .stop(let error) = step { error } else { nil }
    }

    private func isDelivered(_ step: RedirectPolicy.Step) -> Bool {
        if case .deliver = step { true } else { false }
    }

    @Test(
        "delivers what is no redirect",
        arguments: [100, 200, 201, 300, 304, 305, 306, 309, 399, 400, 500]
    )
    func others(status: Int) throws {
        #expect(isDelivered(try step(status, "/new")))
    }

    @Test("delivers a redirect without Location")
    func noLocation() throws {
        let request = try get()
        #expect(isDelivered(RedirectPolicy.follow().step(after: try head(302, nil, of: request), to: request)))
    }

    @Test("several Locations are one when they are the same, and an error when they differ")
    func severalLocations() throws {
        let request = try get()
        let same = RedirectPolicy.follow().step(after: try head(302, "/new", "/new", of: request), to: request)
        #expect(followed(same) == "https://a.example/new")
        let error = fault(RedirectPolicy.follow().step(after: try head(302, "/a", "/b", of: request), to: request))
        #expect(error?.code == .invalidRedirect)
        #expect(error?.message == "302 from https://a.example/old redirects to 2 places")
    }

    @Test("`.never` delivers each redirect, and so does a limit of 0 or less", arguments: [0, -1])
    func never(limit: Int) throws {
        #expect(isDelivered(try step(302, "/new", .never)))
        #expect(isDelivered(try step(302, "/new", .follow(limit: limit))))
    }

    @Test("a condition decides, and sees what would be sent")
    func condition() throws {
        let policy = RedirectPolicy.follow { head, next in head.statusCode == 302 && next.url.host == "a.example" }
        #expect(followed(try step(302, "/new", policy)) == "https://a.example/new")
        #expect(isDelivered(try step(302, "https://b.example/new", policy)))
        #expect(isDelivered(try step(301, "/new", policy)))
    }

    @Test("https to http is refused unless it is allowed; the other way is not")
    func downgrade() throws {
        let error = fault(try step(302, "http://a.example/new"))
        #expect(error?.code == .refusedDowngrade)
        #expect(
            error?.message
                == "302 from https://a.example/old redirects to http://a.example/new, which is not encrypted; "
                + "allow it with .follow(allowsDowngrade: true)"
        )
        let allowed = try step(302, "http://a.example/new", .follow(allowsDowngrade: true))
        #expect(followed(allowed) == "http://a.example/new")
        #expect(followed(try step(302, "https://a.example/new", from: "http://a.example/old")) != nil)
    }

    @Test(
        "only http and https are followed, and no user info",
        arguments: [
            "ftp://a.example/", "javascript:alert(1)", "file:///etc/passwd", "//", "http:", "https://u:s3cret@b/",
        ]
    )
    func otherSchemes(location: String) throws {
        let error = fault(try step(302, location))
        #expect(error?.code == .invalidRedirect)
        #expect(error?.underlying is InvalidRequestURLError)
        #expect(error.map { "\($0)".contains("s3cret") } == false)
    }

    @Test(
        "a fragment is inherited unless the location has one",
        arguments: [
            ("/new", "https://a.example/new#old"), ("/new#new", "https://a.example/new#new"),
            ("/new#", "https://a.example/new#"),
        ]
    )
    func fragments(location: String, expected: String) throws {
        #expect(followed(try step(302, location, from: "https://a.example/old#old")) == expected)
    }

    @Test("a default port is the same origin as none")
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

    @Test("one redirect more than the limit is an error that keeps all of them")
    func limit() throws {
        var history: [RedirectPolicy.Hop] = []
        for number in 0..<3 {
            let request = try get("https://a.example/\(number)")
            let head = try head(302, "/\(number + 1)", of: request)
            let step = RedirectPolicy.follow(limit: 2).step(after: head, to: request, history: history)
            history.append(RedirectPolicy.Hop(request: request, head: head))
            guard number == 2 else {
                #expect(followed(step) == "https://a.example/\(number + 1)")
                continue
            }
            let error = fault(step)
            #expect(error?.code == .redirectLimit)
            #expect(error?.attempts == 3)
            #expect(error?.history.map(\.url.path) == ["/0", "/1", "/2"])
            #expect(
                error?.message == "302 from https://a.example/2 is redirect 3 of at most 2; "
                    + "raise the limit with .follow(limit:)"
            )
        }
    }

    @Test("the default limit is 10")
    func defaultLimit() {
        #expect(RedirectPolicy.follow().limit == 10)
        #expect(!RedirectPolicy.follow().allowsDowngrade)
    }

    @Test(
        "a request that was made before is a loop, unless its method differs or a cookie was set since",
        arguments: [
            (HTTPMethod.get, HTTPMethod.get, false, true), (.post, .get, false, false), (.get, .get, true, false),
        ]
    )
    func loops(first: HTTPMethod, second: HTTPMethod, setsCookie: Bool, isLoop: Bool) throws {
        let old = try PreparedRequest(method: first, url: RequestURL("https://a.example/old#x"))
        let new = try PreparedRequest(method: second, url: RequestURL("https://a.example/new"))
        var header: Header = [Field(name: .location, value: "/new")]
        if setsCookie { header.add(Field(name: .setCookie, value: "a=b")) }
        let hop = RedirectPolicy.Hop(
            request: old,
            head: try ResponseHead(statusCode: 303, header: header, url: old.url)
        )
        let step = RedirectPolicy.follow().step(after: try head(302, "/old", of: new), to: new, history: [hop])
        #expect((fault(step)?.code == .redirectLoop) == isLoop)
        #expect((followed(step) != nil) == !isLoop)
    }

    @Test("a location that is the request itself is a loop at once", arguments: ["/old", "", "#other"])
    func selfLoop(location: String) throws {
        let error = fault(try step(302, location))
        #expect(error?.code == .redirectLoop)
        #expect(error?.message.hasSuffix("which redirected before") == true)
    }

    @Test("policies are equal by limit and switches, conditions by identity")
    func equality() {
        #expect(RedirectPolicy.follow() == .follow(limit: 10, allowsDowngrade: false))
        #expect(RedirectPolicy.follow() != .follow(limit: 9))
        #expect(RedirectPolicy.follow() != .follow(allowsDowngrade: true))
        let one = RedirectPolicy.follow { _, _ in true }
        #expect(one == one)
        #expect(one != .follow { _, _ in true })
    }
}
