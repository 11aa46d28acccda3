import RequestsCache
import RequestsTesting
import Testing

@Suite("Validation", .timeLimit(.minutes(5)))
struct ValidationTests {
    static let conditionsRows: [(stored: Header, tag: String?, date: String?)] = [
        (["ETag": "\"a\""], "\"a\"", nil), (["ETag": "W/\"a\""], "W/\"a\"", nil), (["ETag": "a"], "a", nil),
        (["ETag": "\"a,b\""], "\"a,b\"", nil), (["ETag": "\"\""], "\"\"", nil),
        ([.lastModified: CacheBench.date(-100)], nil, CacheBench.date(-100)),
        (["ETag": "\"a\"", .lastModified: CacheBench.date(-100)], "\"a\"", CacheBench.date(-100)),
        ([.lastModified: "odd"], nil, "odd"), ([:], nil, nil),
        (["ETag": "\"a\"", "ETag": "\"a\""], "\"a\"", nil), (["ETag": "\"a\", \"a\""], "\"a\"", nil),
        (["ETag": "\"a\"", "ETag": "\"b\""], nil, nil),
        (
            [.lastModified: CacheBench.date(-100), .lastModified: CacheBench.date(-100)], nil, CacheBench.date(-100)
        ),
        ([.lastModified: "\(CacheBench.date(-9)), \(CacheBench.date(-9))"], nil, CacheBench.date(-9)),
    ]

    @Test("RFC 9111 §4.3.1: a stale response is validated with its validators", arguments: conditionsRows.indices)
    func conditions(index: Int) async throws {
        let (stored, tag, date) = Self.conditionsRows[index]
        let bench = CacheBench()
        bench.respond(.reply(200, header: stored.adding(.cacheControl, "max-age=1")))
        try await bench.send()
        bench.pass(10)
        try await bench.send()
        #expect(bench.requests.last?.header[.ifNoneMatch] == tag)
        #expect(bench.requests.last?.header[.ifModifiedSince] == date)
    }

    @Test("RFC 9111 §4.3.3: a 304 makes the stored response fresh, and the caller gets it")
    func confirmed() async throws {
        let bench = CacheBench()
        bench.respond(
            .reply(200, header: [.cacheControl: "max-age=1", "ETag": "\"a\"", "X-A": "1", "Age": "3"], text: "body"),
            .reply(304, header: [.cacheControl: "max-age=60", "ETag": "\"a\"", "X-A": "2", "X-B": "3"])
        )
        try await bench.send()
        bench.pass(10)
        let second = try await bench.send()
        #expect(second.head.statusCode == 200)
        #expect(second.content == Data("body".utf8))
        #expect(second.head.cacheStatus?.kind == .revalidated)
        #expect(second.head.header[values: "X-A"] == ["2"])
        bench.pass(10)
        let third = try await bench.send()
        #expect(third.head.cacheStatus == CacheStatus(.hit, age: 10, reason: "max-age=60"))
        #expect(third.head.header["X-B"] == "3")
        #expect(third.head.header["Age"] == "10")
        #expect(bench.requests.count == 2)
    }

    @Test("RFC 9111 §5.2.2.5: a 304 with no-store confirms the stored response for the last time")
    func noStore() async throws {
        let bench = CacheBench()
        bench.respond(
            .reply(200, header: [.cacheControl: "max-age=1", "ETag": "\"a\""], text: "body"),
            .reply(304, header: [.cacheControl: "no-store", "ETag": "\"a\"", "X-A": "2"]),
            .reply(200, text: "new")
        )
        try await bench.send()
        bench.pass(10)
        let second = try await bench.send()
        #expect(second.content == Data("body".utf8))
        #expect(second.head.header["X-A"] == "2")
        #expect(try await bench.cache.responses().isEmpty)
        #expect(try await bench.send().content == Data("new".utf8))
    }

    @Test("RFC 9110 §6.6.1: a 304 without Date was created when it arrived, and not with the stored response")
    func withoutDate() async throws {
        let bench = CacheBench()
        bench.respond(
            .reply(
                200,
                header: [.cacheControl: "max-age=5", "ETag": "\"a\"", "Date": CacheBench.date()],
                text: "body"
            ),
            .reply(304, header: ["ETag": "\"a\""])
        )
        try await bench.send()
        bench.pass(10)
        try await bench.send()
        bench.pass(2)
        #expect(try await bench.send().head.cacheStatus == CacheStatus(.hit, age: 2, reason: "max-age=5"))
    }

    static let unchangedFieldsRows: [(Field.Name, String)] = [
        (.contentLength, "7"), (.contentEncoding, "gzip"), ("Content-Range", "bytes 0-1/2"), ("Connection", "X-B"),
        ("Keep-Alive", "x"), (.setCookie, "a=b"), ("Upgrade", "x"), ("TE", "x"), ("Proxy-Authenticate", "x"),
        ("X-B", "listed"),
    ]

    @Test(
        "RFC 9111 §3.2: a 304 doesn't change the fields that describe the body or the connection",
        arguments: unchangedFieldsRows
    )
    func unchanged(name: Field.Name, value: String) async throws {
        let bench = CacheBench()
        bench.respond(
            .reply(200, header: [.cacheControl: "max-age=1", "ETag": "\"a\""], text: "body"),
            .reply(304, header: [.cacheControl: "max-age=60", "ETag": "\"a\"", "Connection": "X-B", name: value])
        )
        try await bench.send()
        bench.pass(10)
        try await bench.send()
        let third = try await bench.send()
        #expect(third.head.header[name] == nil)
        #expect(third.content == Data("body".utf8))
    }

    @Test(
        "RFC 9111 §3.2: a 304 replaces other fields",
        arguments: [
            "Cache-Control", "Content-Type", "Content-Language", "Content-Security-Policy", "Expires",
            "X-Frame-Options",
            "Link", "Server", "Date", "Last-Modified", "Content-Location", "Clear-Site-Data", "Vary",
        ]
    )
    func replaced(name: String) async throws {
        let (old, new) =
            switch name {
            case "Cache-Control": ("max-age=1", "max-age=61")
            case "Date", "Last-Modified", "Expires": (CacheBench.date(-1), CacheBench.date(10))
            default: ("old", "new")
            }
        let bench = CacheBench()
        let name = Field.Name(name)
        let rest: Header = name == .cacheControl ? ["ETag": "\"a\""] : ["ETag": "\"a\"", .cacheControl: "max-age=1"]
        let update: Header = name == .cacheControl ? ["ETag": "\"a\""] : ["ETag": "\"a\"", .cacheControl: "max-age=60"]
        bench.respond(
            .reply(200, header: rest.adding(name, old), text: "body"),
            .reply(304, header: update.adding(name, new))
        )
        try await bench.send()
        bench.pass(10)
        try await bench.send()
        let third = try await bench.send()
        #expect(third.head.header[values: name] == [new])
        #expect(bench.requests.count == 2)
    }

    static let otherVersionsRows: [(stored: Header, notModified: Header)] = [
        (["ETag": "\"a\""], ["ETag": "\"b\""]), (["ETag": "W/\"a\""], ["ETag": "W/\"b\""]),
        ([.lastModified: CacheBench.date(-5)], [.lastModified: CacheBench.date(-4)]),
        ([.lastModified: CacheBench.date(-5)], ["ETag": "\"b\""]),
    ]

    @Test(
        "RFC 9111 §4.3.4: a 304 about another version is ignored and the request sent again",
        arguments: otherVersionsRows.indices
    )
    func otherVersion(index: Int) async throws {
        let (stored, notModified) = Self.otherVersionsRows[index]
        let bench = CacheBench()
        bench.respond(
            .reply(200, header: stored.adding(.cacheControl, "max-age=1"), text: "old"),
            .reply(304, header: notModified),
            .reply(200, text: "new")
        )
        try await bench.send()
        bench.pass(10)
        let second = try await bench.send()
        #expect(second.content == Data("new".utf8))
        #expect(bench.requests[2].header.isEmpty)
    }

    static let ownConditionsRows: [(own: Header, status: Int)] = [
        ([.ifNoneMatch: "\"a\""], 304), ([.ifNoneMatch: "W/\"a\""], 304), ([.ifNoneMatch: "\"b\""], 200),
        ([.ifNoneMatch: "\"b\", \"a\""], 304), ([.ifNoneMatch: "*"], 304), ([.ifNoneMatch: "\"b,\"a\""], 200),
        ([.ifNoneMatch: "\"x,y\",  \"a\" "], 304),
        ([.ifModifiedSince: CacheBench.date(-100)], 304), ([.ifModifiedSince: CacheBench.date()], 304),
        ([.ifModifiedSince: CacheBench.date(-200)], 200), ([.ifModifiedSince: "odd"], 200),
        ([.ifNoneMatch: "\"b\"", .ifModifiedSince: CacheBench.date()], 200),
    ]

    @Test("RFC 9111 §4.3.2: a fresh response answers the caller's own condition", arguments: ownConditionsRows.indices)
    func ownConditions(index: Int) async throws {
        let (own, status) = Self.ownConditionsRows[index]
        let bench = CacheBench()
        bench.respond(
            .reply(
                200,
                header: [.cacheControl: "max-age=60", "ETag": "\"a\"", .lastModified: CacheBench.date(-100)],
                text: "body"
            )
        )
        try await bench.send()
        let second = try await bench.send(header: own)
        #expect(second.head.statusCode == status)
        #expect(second.content == Data(status == 200 ? "body".utf8 : "".utf8))
        #expect(second.head.header["ETag"] == "\"a\"")
        #expect(bench.requests.count == 1)
    }

    @Test("RFC 9111 §4.3.2: a stale response is validated together with the caller's own tag")
    func ownTagWithStored() async throws {
        let bench = CacheBench()
        bench.respond { request, number in
            number == 1
                ? .reply(200, header: [.cacheControl: "max-age=1", "ETag": "\"a\""], text: "body")
                : .reply(
                    304,
                    header: ["ETag": request.header[.ifNoneMatch]?.contains("\"a\"") == true ? "\"a\"" : "\"b\""]
                )
        }
        try await bench.send()
        bench.pass(10)
        let other = try await bench.send(header: [.ifNoneMatch: "\"b\""])
        #expect(bench.requests[1].header[.ifNoneMatch] == "\"b\", \"a\"")
        #expect(other.head.statusCode == 200)
        #expect(other.content == Data("body".utf8))
        let same = try await bench.send(header: [.ifNoneMatch: "\"a\""])
        #expect(same.head.statusCode == 304)
    }

    @Test(
        "RFC 9111 §4.3.2: the caller gets a 304 about its own version",
        arguments: [["ETag": "\"b\""], [:]] as [Header]
    )
    func callersVersion(header: Header) async throws {
        let bench = CacheBench()
        bench.respond(
            .reply(200, header: [.cacheControl: "max-age=1", "ETag": "\"a\""], text: "body"),
            .reply(304, header: header)
        )
        try await bench.send()
        bench.pass(10)
        let second = try await bench.send(header: [.ifNoneMatch: "\"b\""])
        #expect(second.head.statusCode == 304)
        #expect(bench.requests.count == 2)
    }

    @Test("RFC 9110 §13.1.1: If-Match is for the server", arguments: [Field.Name.ifMatch, .ifUnmodifiedSince])
    func otherConditions(name: Field.Name) async throws {
        let bench = CacheBench()
        bench.respond(.reply(200, header: [.cacheControl: "max-age=60", "ETag": "\"a\""]), .reply(412))
        try await bench.send()
        let second = try await bench.send(header: [name: name == .ifMatch ? "\"a\"" : CacheBench.date()])
        #expect(second.head.statusCode == 412)
        #expect(try await bench.send().head.statusCode == 200)
        #expect(bench.requests.count == 2)
    }

    static let headsRows: [(head: Header, status: Int, expected: Second)] = [
        (["ETag": "\"a\"", "X-A": "2", .cacheControl: "max-age=60"], 200, .stored),
        (["ETag": "\"b\"", .cacheControl: "max-age=60"], 200, .sent),
        ([.contentLength: "5", .cacheControl: "max-age=60"], 200, .sent),
        ([.contentLength: "4", .cacheControl: "max-age=60"], 200, .stored),
        ([.lastModified: CacheBench.date(-1), .cacheControl: "max-age=60"], 200, .sent),
        (["ETag": "\"b\"", .cacheControl: "max-age=60"], 404, .sent), ([:], 410, .sent),
        (["ETag": "\"b\""], 500, .stored), (["ETag": "\"a\"", .cacheControl: "no-store"], 200, .sent),
    ]

    @Test(
        "RFC 9111 §4.3.5: HEAD freshens the stored response or shows that it is outdated",
        arguments: headsRows.indices
    )
    func head(index: Int) async throws {
        let (head, status, expected) = Self.headsRows[index]
        let bench = CacheBench()
        bench.respond { request, number in
            request.method == .head
                ? .reply(status, header: head)
                : .reply(
                    200,
                    header: [
                        .cacheControl: "max-age=30", "ETag": "\"a\"", .lastModified: CacheBench.date(-100),
                        .contentLength: "4",
                    ],
                    text: number == 1 ? "body" : "next"
                )
        }
        try await bench.send()
        bench.pass(10)
        try await bench.send(.head, policy: .reloadIgnoringLocalCacheData)
        #expect(bench.requests.count == 2)
        bench.pass(10)
        let third = try await bench.send()
        #expect(third.content == Data(expected == .stored ? "body".utf8 : "next".utf8))
        if index == 0 { #expect(third.head.header["X-A"] == "2") }
    }

    @Test("RFC 9111 §4: HEAD is answered by a stored response to GET, but never stored")
    func headFromStored() async throws {
        let bench = CacheBench()
        bench.respond(.reply(200, header: [.cacheControl: "max-age=60", "X-A": "1"], text: "body"))
        for _ in 0..<2 { try await bench.send(.head) }
        #expect(bench.requests.count == 2)
        try await bench.send()
        let head = try await bench.send(.head)
        #expect(head.head.header["X-A"] == "1")
        #expect(head.content.isEmpty)
        #expect(bench.requests.count == 3)
    }
}
