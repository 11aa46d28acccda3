import Requests
import Testing

@testable import RequestsUploads

/// The upload has 100 bytes.
@Suite("The decisions of an upload", .timeLimit(.minutes(5)))
struct UploadResumptionTests {
    private static let target = "https://a.example/videos"
    private static let resource = "https://a.example/uploads/1"
    private static let complete = Field(name: "Upload-Complete", value: "?1")
    private static let incomplete = Field(name: "Upload-Complete", value: "?0")
    private static let version = Field(name: "Upload-Draft-Interop-Version", value: "8")
    private static let otherVersion = Field(name: "Upload-Draft-Interop-Version", value: "7")
    private static func offset(_ value: String) -> Field { Field(name: "Upload-Offset", value: value) }
    private static func length(_ value: String) -> Field { Field(name: "Upload-Length", value: value) }
    private static func limit(_ value: String) -> Field { Field(name: "Upload-Limit", value: value) }
    private static func location(_ value: String) -> Field { Field(name: "Location", value: value) }

    private func head(_ status: Int, _ header: [Field], from url: String = target) throws -> ResponseHead {
        try ResponseHead(statusCode: status, header: Header(header), url: RequestURL(url))
    }

    private func upload(
        by method: HTTPMethod = .post,
        resource: String? = nil,
        first: UploadResumption.Stage = .creating
    ) throws -> UploadResumption {
        let request = try PreparedRequest(method: method, url: RequestURL(Self.target))
        let plan = UploadResumption.Plan(length: 100, first: first)
        return UploadResumption(request, plan, form: .draft(8), resource: try resource.map { try RequestURL($0) })
    }

    /// An upload that sends the bytes from an offset on.
    private func appending(from offset: Int, by method: HTTPMethod = .post) throws -> UploadResumption {
        var upload = try upload(by: method, resource: Self.resource)
        _ = upload.judge(try head(204, [Self.offset("\(offset)"), Self.incomplete], from: Self.resource))
        try #require(upload.stage == .appending(Int64(offset)..<100))
        return upload
    }

    /// Describes a step, and the stage that follows.
    private func describe(_ step: UploadResumption.Step?, _ upload: UploadResumption) -> String {
        switch step {
        case nil: "continue"
        case .deliver?: "deliver"
        case .fail(_, let ending)?: "\(ending)"
        case .proceed?: "\(upload.stage)".replacing("Range(", with: "").replacing("))", with: ")")
        case .retry?: "retry \(upload.stage)"
        }
    }

    private func verdict(
        _ upload: inout UploadResumption,
        _ status: Int,
        _ header: [Field],
        from url: String = target
    ) throws -> String {
        let step = upload.judge(try head(status, header, from: url))
        return describe(step, upload)
    }

    // MARK: Creation

    @Test(
        "The response to the whole body is the final one, unless the server says that the upload is incomplete",
        arguments: [
            (200, [], "deliver"), (201, [location("/videos/1")], "deliver"), (200, [complete], "deliver"),
            (400, [complete], "deliver"), (500, [complete], "deliver"), (404, [], "retry creating"),
            (403, [incomplete], "retry creating"), (503, [], "retry creating"), (304, [], "retry creating"),
            (400, [], "retry creating"), (400, [version], "retry creating"), (400, [otherVersion], "sending"),
            (400, [Field(name: "Upload-Draft-Interop-Version", value: "6")], "creating"),
            (400, [otherVersion, complete], "deliver"),
            (201, [incomplete, location("/uploads/1")], "retrieving"), (201, [incomplete], "ended"),
            (201, [incomplete, location("ftp://a.example/1")], "ended"),
            (201, [Field(name: "Upload-Complete", value: "no"), location("/uploads/1")], "deliver"),
            (201, [Field(name: "Upload-Complete", value: "?0;x=1"), location("/uploads/1")], "retrieving"),
            (413, [limit("max-append-size=10")], "retry creating"),
        ] as [(Int, [Field], String)]
    )
    func creation(status: Int, header: [Field], expected: String) throws {
        var upload = try upload()
        #expect(try verdict(&upload, status, header) == expected)
    }

    @Test(
        "After a 104, a failed creation continues at the upload resource",
        arguments: [
            (200, [], "deliver"), (500, [], "retry retrieving"), (500, [complete], "deliver"),
            (400, [], "retry retrieving"), (413, [limit("max-append-size=10")], "retrieving"),
            (413, [], "retry retrieving"),
            (201, [incomplete], "retrieving"), (201, [incomplete, location("/uploads/1")], "retrieving"),
            (201, [incomplete, location("/uploads/2")], "ended"),
        ] as [(Int, [Field], String)]
    )
    func supportedCreation(status: Int, header: [Field], expected: String) throws {
        var upload = try upload()
        #expect(upload.receive(try head(104, [Self.version, Self.location("/uploads/1")])) == nil)
        #expect(upload.resource?.text == Self.resource)
        #expect(try verdict(&upload, status, header) == expected)
    }

    @Test(
        "A 104 counts only with the same version, from the origin of the target",
        arguments: [
            (104, [version, location("/uploads/1")], target, resource),
            (104, [version, location("https://b.example/1")], target, "https://b.example/1"),
            (104, [location("/uploads/1")], target, nil),
            (104, [Field(name: "Upload-Draft-Interop-Version", value: "7"), location("/uploads/1")], target, nil),
            (104, [Field(name: "Upload-Draft-Interop-Version", value: "\"8\""), location("/u")], target, nil),
            (103, [version, location("/uploads/1")], target, nil),
            (104, [version, location("/uploads/1")], "https://b.example/", nil),
            (104, [version, location("/uploads/1"), location("/uploads/2")], target, nil),
            (104, [version, offset("50")], target, nil), (104, [version, location("ftp://a/b")], target, nil),
        ] as [(Int, [Field], String, String?)]
    )
    func informational(status: Int, header: [Field], origin: String, expected: String?) throws {
        var upload = try upload()
        #expect(upload.receive(try head(status, header, from: origin)) == nil)
        #expect(upload.resource?.text == expected)
    }

    @Test(
        "The limits of a 104 end the request that exceeds them",
        arguments: [
            ("max-size=99", "canceled"), ("max-size=100", "continue"), ("max-append-size=99", "retrieving"),
            ("max-append-size=100", "continue"), ("max-size=99, max-age=\"x\"", "continue"),
            ("max-size=99.0", "continue"), ("max-size=-1", "continue"), ("MAX-SIZE=9", "continue"),
            ("unknown=9", "continue"), ("max-size=9999999999999999", "continue"),
            ("max-size=99;a=1, b=(1)", "canceled"),
        ]
    )
    func limits(value: String, expected: String) throws {
        var upload = try upload()
        let step = upload.receive(try head(104, [Self.version, Self.location("/uploads/1"), Self.limit(value)]))
        #expect(describe(step, upload) == expected)
    }

    @Test(
        "An upload is reserved only if the target announces limits",
        arguments: [
            (204, [limit("min-size=0")], "reserving"), (200, [limit("max-size=100")], "reserving"),
            (204, [limit("max-size=99")], "canceled"), (204, [limit("min-size=101")], "creating"),
            (204, [], "creating"), (204, [limit("?")], "creating"), (405, [limit("min-size=0")], "creating"),
            (500, [], "creating"), (401, [], "creating"),
        ] as [(Int, [Field], String)]
    )
    func support(status: Int, header: [Field], expected: String) throws {
        var upload = try upload(first: .asking)
        #expect(try verdict(&upload, status, header) == expected)
    }

    @Test("A limit stays until a response changes it")
    func limitsMerged() throws {
        var upload = try appending(from: 0)
        #expect(try verdict(&upload, 413, [Self.limit("max-append-size=40")]) == "appending(0..<40)")
        _ = upload.fail()
        #expect(
            try verdict(&upload, 204, [Self.offset("10"), Self.incomplete, Self.limit("max-age=9")])
                == "appending(10..<50)"
        )
        #expect(
            try verdict(&upload, 204, [Self.incomplete, Self.limit("max-append-size=5, max-size=100")])
                == "appending(50..<55)"
        )
    }

    @Test(
        "A second 104 that names another place ends the upload, which is canceled",
        arguments: [
            ("/uploads/1", "continue"), ("/uploads/2", "canceled"), ("https://b.example/uploads/1", "canceled"),
        ]
    )
    func secondPlace(place: String, expected: String) throws {
        var upload = try upload()
        #expect(upload.receive(try head(104, [Self.version, Self.location("/uploads/1")])) == nil)
        let step = upload.receive(try head(104, [Self.version, Self.location(place)]))
        #expect(describe(step, upload) == expected)
        #expect(upload.resource?.text == Self.resource)
    }

    @Test(
        "A part that another request keeps from the upload is followed by a wait, whatever the policy says",
        arguments: [
            (409, []), (409, [incomplete]), (423, []), (423, [incomplete, offset("60")]), (460, []),
        ] as [(Int, [Field])]
    )
    func busy(status: Int, header: [Field]) throws {
        var upload = try appending(from: 60)
        #expect(upload.judge(try head(status, header)) == .retry(hasCause: true))
        #expect(upload.stage == .retrieving)
        #expect(upload.judge(try head(423, header)) == .retry(hasCause: true))
        #expect(upload.judge(try head(500, header)) == .retry())
    }

    @Test("The limits of another origin, to which a redirect led, don't count")
    func limitsOfOtherOrigin() throws {
        var upload = try upload(first: .asking)
        #expect(try verdict(&upload, 204, [Self.limit("max-size=99")], from: "https://b.example/") == "creating")
    }

    @Test(
        "A reserved upload continues at its upload resource",
        arguments: [
            (201, [incomplete, location("/uploads/1")], "appending(0..<100)"),
            (201, [incomplete, location("/uploads/1"), limit("max-append-size=40")], "appending(0..<40)"),
            (201, [incomplete, location("/uploads/1"), limit("max-append-size=0")], "canceled"),
            (201, [incomplete], "ended"), (201, [], "ended"), (204, [], "ended"),
            (201, [location("/uploads/1")], "appending(0..<100)"),
            (400, [otherVersion], "sending"), (400, [], "retry reserving"),
            (400, [complete], "deliver"), (403, [], "retry reserving"), (503, [], "retry reserving"),
        ] as [(Int, [Field], String)]
    )
    func reservation(status: Int, header: [Field], expected: String) throws {
        var upload = try upload(first: .reserving)
        #expect(try verdict(&upload, status, header) == expected)
    }

    // MARK: Offsets

    @Test(
        "The upload continues at the offset of the server, if the server says it and can have it",
        arguments: [
            ([offset("60"), incomplete], "appending(60..<100)"), ([offset("0"), incomplete], "appending(0..<100)"),
            ([offset("100"), incomplete], "appending(100..<100)"), ([offset("60")], "appending(60..<100)"),
            ([offset("100"), complete], "replaying"), ([offset("60"), complete], "replaying"),
            ([offset("60"), incomplete, length("100")], "appending(60..<100)"),
            ([offset("60"), incomplete, length("99")], "kept"), ([offset("101"), incomplete], "canceled"),
            ([incomplete], "kept"), ([complete], "kept"), ([offset("-1"), incomplete], "kept"),
            ([offset("1.0"), incomplete], "kept"), ([offset("9999999999999999"), incomplete], "kept"),
            ([offset("99999999999999999999"), incomplete], "kept"), ([offset("x"), incomplete], "kept"),
            ([offset(""), incomplete], "kept"), ([offset("10"), offset("20"), incomplete], "kept"),
            ([offset("60"), offset("60"), incomplete], "appending(60..<100)"),
            ([offset("60"), incomplete, limit("max-append-size=30")], "appending(60..<90)"),
            ([offset("60"), incomplete, limit("max-size=99")], "canceled"),
        ] as [([Field], String)]
    )
    func offsets(header: [Field], expected: String) throws {
        var upload = try upload(resource: Self.resource)
        #expect(try verdict(&upload, 204, header, from: Self.resource) == expected)
    }

    @Test(
        "A failed request for the offset is repeated, unless the upload resource is gone",
        arguments: [
            (404, .post, "ended"), (410, .post, "ended"), (404, .put, "creating"), (410, .put, "creating"),
            (403, .post, "retry retrieving"), (500, .post, "retry retrieving"), (302, .post, "retry retrieving"),
        ] as [(Int, HTTPMethod, String)]
    )
    func retrieval(status: Int, method: HTTPMethod, expected: String) throws {
        var upload = try upload(by: method, resource: Self.resource)
        #expect(try verdict(&upload, status, [], from: Self.resource) == expected)
    }

    @Test("The offset never goes back")
    func shrinking() throws {
        var upload = try appending(from: 60)
        _ = upload.fail()
        #expect(try verdict(&upload, 204, [Self.offset("59"), Self.incomplete]) == "canceled")
    }

    @Test("Only 64 KiB more reset the number of retries")
    func retries() throws {
        let request = try PreparedRequest(method: .post, url: RequestURL(Self.target))
        let resource = try RequestURL(Self.resource)
        let plan = UploadResumption.Plan(length: 1_000_000)
        var upload = UploadResumption(request, plan, form: .draft(8), resource: resource)
        for (offset, expected) in [(0, 1), (65_535, 2), (65_536, 0), (65_537, 1), (131_071, 2), (131_072, 0)] {
            upload.countRetry()
            _ = upload.fail()
            _ = try verdict(&upload, 204, [Self.offset("\(offset)"), Self.incomplete])
            #expect(upload.retries == expected, "\(offset)")
        }
    }

    // MARK: Parts

    @Test(
        "The response to the last bytes is final if it says so, and else the server is asked",
        arguments: [
            (200, [complete], "deliver"), (422, [complete], "deliver"), (500, [complete], "deliver"),
            (200, [], "retrieving"), (204, [incomplete], "retrieving"),
            (200, [Field(name: "Upload-Complete", value: "true")], "retrieving"),
            (204, [incomplete, offset("59")], "canceled"), (204, [incomplete, offset("101")], "canceled"),
            (409, [incomplete, offset("80")], "appending(80..<100)"), (409, [incomplete, offset("60")], "canceled"),
            (409, [incomplete, offset("59")], "canceled"), (409, [incomplete, offset("101")], "canceled"),
            (409, [incomplete], "retry retrieving"), (409, [offset("-1")], "retry retrieving"),
            (404, [], "creating"), (410, [], "creating"), (404, [complete], "deliver"),
            (403, [], "retry retrieving"), (500, [], "retry retrieving"), (503, [incomplete], "retry retrieving"),
            (413, [limit("max-append-size=10")], "appending(60..<70)"), (413, [], "retry retrieving"),
            (413, [limit("max-append-size=40")], "retry retrieving"),
        ] as [(Int, [Field], String)]
    )
    func parts(status: Int, header: [Field], expected: String) throws {
        var upload = try appending(from: 60)
        #expect(try verdict(&upload, status, header, from: Self.resource) == expected)
    }

    @Test("Parts have the maximum size of the server, and only the last one completes the upload")
    func partsOfLimitedSize() throws {
        var upload = try upload(first: .reserving)
        let created = [Self.incomplete, Self.location("/uploads/1"), Self.limit("max-append-size=40")]
        #expect(try verdict(&upload, 201, created) == "appending(0..<40)")
        #expect(try verdict(&upload, 204, [Self.incomplete]) == "appending(40..<80)")
        #expect(try verdict(&upload, 204, [Self.incomplete, Self.offset("80")]) == "appending(80..<100)")
    }

    @Test("A redirect after the upload leads to the final response")
    func redirected() throws {
        var upload = try appending(from: 60)
        let redirect = try head(303, [Self.complete, Self.location("/videos/1")], from: Self.resource)
        #expect(upload.judge(try head(200, []), redirects: [redirect]) == .deliver)
    }

    @Test(
        "The response to a complete upload is asked for again, if its connection broke",
        arguments: [
            (201, [complete], "deliver"), (422, [complete], "deliver"), (204, [incomplete], "ended"),
            (400, [incomplete], "ended"), (404, [], "ended"), (409, [incomplete, offset("100")], "ended"),
            (500, [], "retry retrieving"), (429, [], "retry retrieving"),
        ] as [(Int, [Field], String)]
    )
    func replay(status: Int, header: [Field], expected: String) throws {
        var upload = try upload(resource: Self.resource)
        #expect(try verdict(&upload, 204, [Self.offset("100"), Self.complete]) == "replaying")
        #expect(try verdict(&upload, status, header, from: Self.resource) == expected)
    }

    @Test(
        "A server that accepts less than it gets is asked once",
        arguments: [
            (204, [incomplete, offset("61")], "retrieving"), (409, [offset("61")], "appending(61..<100)"),
            (413, [limit("max-append-size=30")], "appending(60..<90)"),
        ] as [(Int, [Field], String)]
    )
    func stalled(status: Int, header: [Field], expected: String) throws {
        var upload = try appending(from: 60)
        #expect(try verdict(&upload, status, header) == expected)
        if upload.stage == .retrieving { _ = try verdict(&upload, 204, [Self.offset("61"), Self.incomplete]) }
        #expect(try verdict(&upload, 409, [Self.offset("62")]) == "canceled")
    }

    @Test("A server that never completes the upload is asked once")
    func unfinished() throws {
        var upload = try appending(from: 60)
        #expect(try verdict(&upload, 204, [Self.incomplete]) == "retrieving")
        #expect(try verdict(&upload, 204, [Self.offset("100"), Self.incomplete]) == "appending(100..<100)")
        #expect(try verdict(&upload, 204, [Self.incomplete]) == "canceled")
    }

    // MARK: Starting again

    @Test("An upload that the server may have processed starts again only if repeating it is safe")
    func processed() throws {
        for (method, expected) in [(HTTPMethod.post, "ended"), (.put, "creating")] {
            var upload = try appending(from: 60, by: method)
            #expect(describe(upload.fail(), upload) == "retry retrieving")
            #expect(try verdict(&upload, 404, [], from: Self.resource) == expected)
        }
    }

    @Test("An upload whose last bytes were never sent starts again, once, from the first byte")
    func restart() throws {
        var upload = try upload(first: .reserving)
        let created = [Self.incomplete, Self.location("/uploads/1"), Self.limit("max-append-size=40")]
        _ = try verdict(&upload, 201, created)
        _ = upload.fail()
        #expect(try verdict(&upload, 404, [], from: Self.resource) == "reserving")
        #expect(upload.resource == nil)
        #expect(upload.offset == 0)
        #expect(try verdict(&upload, 201, created) == "appending(0..<40)")
        #expect(try verdict(&upload, 410, [], from: Self.resource) == "ended")
    }

    @Test("A failure before the server named an upload resource repeats the creation")
    func early() throws {
        var upload = try upload()
        #expect(describe(upload.fail(), upload) == "retry creating")
    }
}
