import RequestsCache
import RequestsTesting
import Testing

@Suite("Ranges", .timeLimit(.minutes(5)))
struct RangeTests {
    static let fromWholeRows: [(range: String, body: String?, contentRange: String?)] = [
        ("bytes=0-1", "01", "bytes 0-1/10"), ("bytes=2-", "23456789", "bytes 2-9/10"),
        ("bytes=-3", "789", "bytes 7-9/10"),
        ("bytes=9-9", "9", "bytes 9-9/10"), ("bytes=5-100", "56789", "bytes 5-9/10"),
        ("BYTES=1-1", "1", "bytes 1-1/10"),
        ("bytes=-100", "0123456789", "bytes 0-9/10"), ("bytes=0-9223372036854775807", "0123456789", "bytes 0-9/10"),
        ("bytes=10-", nil, nil), ("bytes=3-2", nil, nil), ("bytes=0-1,x", nil, nil), ("items=0-1", nil, nil),
        ("bytes=", nil, nil), ("bytes=-", nil, nil), ("bytes=-0", nil, nil), ("bytes=a-b", nil, nil),
        ("bytes", nil, nil),
        ("bytes=99999999999999999999-", nil, nil), ("bytes= 2-3", "23", "bytes 2-3/10"),
    ]

    @Test(
        "RFC 9110 §14.2: a stored whole response answers one range, and the server any other",
        arguments: fromWholeRows.indices
    )
    func fromWhole(index: Int) async throws {
        let (range, body, contentRange) = Self.fromWholeRows[index]
        let bench = CacheBench()
        bench.respond(.reply(200, header: [.cacheControl: "max-age=60"], text: "0123456789"), .reply(416))
        try await bench.send()
        let second = try await bench.send(header: [.range: range])
        #expect(second.head.statusCode == (body == nil ? 416 : 206))
        #expect(second.content == Data((body ?? "").utf8))
        #expect(second.head.header["Content-Range"] == contentRange)
        #expect(second.head.header[.contentLength] == body.map { "\($0.utf8.count)" })
        // Neither the part nor the error replaces the whole response.
        #expect(try await bench.send().content == Data("0123456789".utf8))
    }

    static let ifRangeRows: [(validator: String, status: Int)] = [
        ("\"a\"", 206), ("\"b\"", 200), ("W/\"a\"", 200), (CacheBench.date(-100), 206), (CacheBench.date(-99), 200),
    ]

    @Test("RFC 9110 §13.1.5: If-Range with another version asks for everything", arguments: ifRangeRows.indices)
    func ifRange(index: Int) async throws {
        let (validator, status) = Self.ifRangeRows[index]
        let bench = CacheBench()
        bench.respond(
            .reply(
                200,
                header: [.cacheControl: "max-age=60", "ETag": "\"a\"", .lastModified: CacheBench.date(-100)],
                text: "0123456789"
            )
        )
        try await bench.send()
        let second = try await bench.send(header: [.range: "bytes=1-2", .ifRange: validator])
        #expect(second.head.statusCode == status)
        #expect(bench.requests.count == 1)
    }

    static func part(_ first: Int, _ last: Int, tag: String? = "\"a\"", total: String = "10") -> StubTransport.Reply {
        var header: Header = [.cacheControl: "max-age=60", "Content-Range": "bytes \(first)-\(last)/\(total)"]
        if let tag { header.add(Field(name: "ETag", value: tag)) }
        return .reply(206, header: header, data: Data("0123456789".utf8).subdata(in: first..<(last + 1)))
    }

    static let fromPartRows: [(range: String?, body: String?)] = [
        ("bytes=2-5", "2345"), ("bytes=3-4", "34"), ("bytes=2-2", "2"), ("bytes=1-3", nil), ("bytes=4-6", nil),
        ("bytes=4-", nil), ("bytes=-2", nil), (nil, nil),
    ]

    @Test(
        "RFC 9111 §3.3: a stored part answers only requests for bytes that it contains",
        arguments: fromPartRows.indices
    )
    func fromPart(index: Int) async throws {
        let (range, body) = Self.fromPartRows[index]
        let bench = CacheBench()
        bench.respond(Self.part(2, 5), .reply(500))
        try await bench.send(header: [.range: "bytes=2-5"])
        let second = try await bench.send(header: range.map { [.range: $0] } ?? [])
        #expect(second.head.statusCode == (body == nil ? 500 : 206))
        if let body { #expect(second.content == Data(body.utf8)) }
    }

    @Test("A part of which nothing arrived answers no request")
    func fromEmptyPart() async throws {
        let bench = CacheBench()
        let header: Header = [.cacheControl: "max-age=60", "ETag": "\"a\"", "Content-Range": "bytes 2-5/10"]
        bench.respond(.reply(206, header: header, text: ""), Self.part(2, 5))
        try await bench.send(header: [.range: "bytes=2-5"])
        let second = try await bench.send(header: [.range: "bytes=2-5"])
        #expect(second.content == Data("2345".utf8))
        #expect(second.head.header["Content-Range"] == "bytes 2-5/10")
    }

    @Test("RFC 9111 §3.4: the beginning of a body is completed with a request for the rest")
    func completing() async throws {
        let bench = CacheBench()
        bench.respond(Self.part(0, 3), Self.part(4, 9))
        try await bench.send(header: [.range: "bytes=0-3"])
        let whole = try await bench.send()
        #expect(bench.requests[1].header[.range] == "bytes=4-")
        #expect(bench.requests[1].header[.ifRange] == "\"a\"")
        #expect(whole.head.statusCode == 200)
        #expect(whole.content == Data("0123456789".utf8))
        #expect(whole.head.header["Content-Range"] == nil)
        #expect(whole.head.header[.contentLength] == "10")
        let third = try await bench.send()
        #expect(third.head.cacheStatus?.kind == .hit)
        #expect(third.content == Data("0123456789".utf8))
        #expect(bench.requests.count == 2)
    }

    @Test("RFC 9110 §15.3.7: the rest need not repeat the coding of the content")
    func completingCoded() async throws {
        let bench = CacheBench()
        let fields: Header = [.cacheControl: "max-age=60", "ETag": "\"a\"", "Content-Encoding": "zz"]
        let beginning = fields.adding("Content-Range", "bytes 0-3/10")
        bench.respond(.reply(206, header: beginning, text: "0123"), Self.part(4, 9))
        try await bench.send(header: [.range: "bytes=0-3"])
        #expect(try await bench.send().head.header["Content-Encoding"] == "zz")
        #expect(try await bench.send().head.header["Content-Encoding"] == "zz")
        #expect(bench.requests.count == 2)
    }

    @Test("RFC 9110 §13.1.5: a date in If-Range applies only if it is a strong validator", arguments: [-60, -59])
    func ifRangeDate(modified: Double) async throws {
        let bench = CacheBench()
        let date = CacheBench.date(modified)
        let header: Header = [.cacheControl: "max-age=60", "Date": CacheBench.date(), .lastModified: date]
        bench.respond(.reply(200, header: header, text: "0123456789"))
        try await bench.send()
        let part = try await bench.send(header: [.range: "bytes=1-2", .ifRange: date])
        #expect(part.head.statusCode == (modified == -60 ? 206 : 200))
    }

    static let dateRows: [(modified: Double?, restModified: Double?, isCompleted: Bool)] = [
        (-60, -60, true), (-60, nil, true), (-59, -59, false), (-60, -61, false), (nil, -60, false), (nil, nil, false),
    ]

    @Test(
        "RFC 9110 §8.8.2.2, §13.1.5: a date is a strong validator if the response is a minute younger",
        arguments: dateRows.indices
    )
    func dates(index: Int) async throws {
        let (modified, restModified, isCompleted) = Self.dateRows[index]
        let part = { @Sendable (range: Range<Int>, modified: Double?) -> StubTransport.Reply in
            var header: Header = [.cacheControl: "max-age=60", "Date": CacheBench.date()]
            header.add(Field(name: "Content-Range", value: "bytes \(range.lowerBound)-\(range.upperBound - 1)/10"))
            if let modified { header.add(Field(name: .lastModified, value: CacheBench.date(modified))) }
            return .reply(206, header: header, data: Data("0123456789".utf8).subdata(in: range))
        }
        let bench = CacheBench()
        bench.respond { request, _ in
            switch request.header[.range] {
            case "bytes=0-3": part(0..<4, modified)
            case "bytes=4-": part(4..<10, restModified)
            default: .reply(200, text: "new")
            }
        }
        try await bench.send(header: [.range: "bytes=0-3"])
        let whole = try await bench.send()
        #expect(whole.content == Data((isCompleted ? "0123456789" : "new").utf8))
        if isCompleted { #expect(bench.requests[1].header[.ifRange] == CacheBench.date(-60)) }
    }

    @Test(
        "RFC 9111 §3.4: a completion that isn't as long as its Content-Range fails, and isn't stored",
        arguments: [5, 7]
    )
    func completionOfOddLength(length: Int) async throws {
        let bench = CacheBench()
        let header: Header = [.cacheControl: "max-age=60", "ETag": "\"a\"", "Content-Range": "bytes 4-9/10"]
        bench.respond(Self.part(0, 3), .reply(206, header: header, data: Data(count: length)), Self.part(4, 9))
        try await bench.send(header: [.range: "bytes=0-3"])
        await #expect(throws: TransportError.self) { try await bench.send() }
        #expect(try await bench.send().content == Data("0123456789".utf8))
    }

    @Test("RFC 9110 §14.2: a stored whole response answers several ranges with everything")
    func several() async throws {
        let bench = CacheBench()
        bench.respond(.reply(200, header: [.cacheControl: "max-age=60"], text: "0123456789"), .reply(500))
        try await bench.send()
        for range in ["bytes=0-1,3-4", "bytes=0-1, -1"] {
            let response = try await bench.send(header: [.range: range])
            #expect(response.head.statusCode == 200)
            #expect(response.content == Data("0123456789".utf8))
        }
    }

    @Test("RFC 9111 §3.3: a part replaces another one, but never the whole response")
    func replacing() async throws {
        let bench = CacheBench()
        bench.respond(Self.part(2, 4), Self.part(4, 6), .reply(500))
        for range in ["bytes=2-4", "bytes=4-6"] { try await bench.send(header: [.range: range]) }
        #expect(try await bench.send(header: [.range: "bytes=4-5"]).content == Data("45".utf8))
        #expect(try await bench.send(header: [.range: "bytes=2-3"]).head.statusCode == 500)
    }

    @Test(
        "RFC 9111 §3.4: parts of different versions, or without a strong validator, are never combined",
        arguments: [
            "\"b\"", "W/\"a\"", nil,
        ]
    )
    func versions(tag: String?) async throws {
        let bench = CacheBench()
        bench.respond(
            Self.part(0, 3, tag: tag == nil ? nil : "\"a\""),
            Self.part(4, 9, tag: tag),
            .reply(200, text: "new")
        )
        try await bench.send(header: [.range: "bytes=0-3"])
        try await bench.send(header: [.range: "bytes=4-9"])
        #expect(try await bench.send().content == Data("new".utf8))
    }

    @Test("RFC 9111 §3.4: a completion of another version is dropped, and the whole response requested")
    func completionOfAnotherVersion() async throws {
        let bench = CacheBench()
        bench.respond(Self.part(0, 3), Self.part(4, 9, tag: "\"b\""), .reply(200, text: "new"))
        try await bench.send(header: [.range: "bytes=0-3"])
        #expect(try await bench.send().content == Data("new".utf8))
        #expect(bench.requests[2].header.isEmpty)
    }

    @Test(
        "RFC 9110 §15.3.7: a part without a position, or of several ranges, isn't stored",
        arguments: [
            [:], ["Content-Range": "bytes 3-2/10"], ["Content-Range": "items 0-1/2"],
            [.contentType: "multipart/byteranges; boundary=x"],
        ] as [Header]
    )
    func unknownParts(header: Header) async throws {
        let bench = CacheBench()
        bench.respond(.reply(206, header: header.adding(.cacheControl, "max-age=60"), text: "01"))
        for _ in 0..<2 { try await bench.send(header: [.range: "bytes=0-1"]) }
        #expect(bench.requests.count == 2)
    }

    static let contradictions: [(status: Int, header: Header, body: String)] = [
        (200, ["ETag": "\"a\"", "Content-Range": "bytes 4-9/10"], "456789"),
        (200, ["ETag": "\"a\"", "Content-Range": "bytes 2-9/10"], "23456789"),
        (200, ["ETag": "\"a\"", "Content-Range": "bytes */10"], "456789"),
        (200, ["ETag": "\"b\"", "Content-Range": "bytes 4-9/10"], "456789"),
        (200, ["Content-Range": "bytes 4-9/10"], "456789"),
        (200, ["ETag": "\"a\"", .contentLength: "6"], "456789"),
        (206, ["ETag": "\"a\"", "Content-Range": "bytes 4-9/10", .contentLength: "5"], "45678"),
        (206, ["ETag": "\"a\"", "Content-Range": "bytes 4-10/11"], "456789x"),
        (206, ["ETag": "\"a\""], "456789"),
    ]

    @Test(
        "RFC 9110 §14.4: a rest that contradicts itself is neither stored nor served, and everything requested",
        arguments: contradictions.indices
    )
    func contradictingRest(index: Int) async throws {
        let (status, header, body) = Self.contradictions[index]
        let bench = CacheBench()
        bench.respond(
            Self.part(0, 3),
            .reply(status, header: header.adding(.cacheControl, "max-age=60"), text: body),
            .reply(200, header: [.cacheControl: "max-age=60", "ETag": "\"a\""], text: "0123456789")
        )
        try await bench.send(header: [.range: "bytes=0-3"])
        for _ in 0..<2 { #expect(try await bench.send().content == Data("0123456789".utf8)) }
        #expect(bench.requests.map { $0.header[.range] } == ["bytes=0-3", "bytes=4-", nil])
    }

    @Test(
        "RFC 9110 §14.4: a response to a range that contradicts itself is delivered as it is, and isn't stored",
        arguments: contradictions.indices
    )
    func contradictingRange(index: Int) async throws {
        let (status, header, body) = Self.contradictions[index]
        let bench = CacheBench()
        let isKnown = status == 206 || !header.contains("Content-Range")
        bench.respond { request, number in
            switch request.header[.range] {
            case nil:
                .reply(200, header: [.cacheControl: "max-age=5", "ETag": "\"a\""], text: "0123456789")
            default: .reply(status, header: header.adding(.cacheControl, "max-age=60"), text: body)
            }
        }
        // The length of the version contradicts only if it is known.
        if isKnown { try await bench.send() }
        bench.pass(9)
        let part = try await bench.send(header: [.range: "bytes=4-"])
        #expect(part.head.statusCode == status)
        #expect(part.content == Data(body.utf8))
        #expect(part.head.cacheStatus?.kind == .miss)
        #expect(try await bench.send(header: [.range: "bytes=4-"]).head.cacheStatus?.kind == .miss)
        #expect(try await bench.send().content == Data("0123456789".utf8))
    }

    @Test("RFC 9110 §14.4: without a requested range, Content-Range in a 200 means nothing")
    func unaskedRange() async throws {
        let bench = CacheBench()
        let header: Header = [.cacheControl: "max-age=60", "Content-Range": "bytes 4-9/10"]
        bench.respond(.reply(200, header: header, text: "0123456789"))
        for _ in 0..<2 { #expect(try await bench.send().content == Data("0123456789".utf8)) }
        #expect(bench.requests.count == 1)
    }

    @Test("RFC 9110 §15.3.7: a 206 that wasn't requested is stored as the whole if it contains everything")
    func unaskedPart() async throws {
        let bench = CacheBench()
        bench.respond(Self.part(0, 9), .reply(500))
        try await bench.send()
        let second = try await bench.send()
        #expect(second.head.statusCode == 200)
        #expect(second.content == Data("0123456789".utf8))
        let other = CacheBench()
        other.respond(Self.part(0, 3), .reply(500))
        try await other.send()
        #expect(try await other.send().head.statusCode == 500)
    }
}
