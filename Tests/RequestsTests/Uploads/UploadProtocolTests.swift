import RequestsTesting
import Testing

@testable import RequestsUploads

@Suite("The protocols of uploads", .timeLimit(.minutes(5)))
struct UploadProtocolTests: UploadSuite {
    private static func field(_ name: String, _ value: String) -> Field { Field(name: Field.Name(name), value: value) }
    private static let tus: [Field] = [field("Tus-Resumable", "1.0.0"), field("Tus-Version", "0.2.2,1.0.0")]
    private static func version(_ version: Int) -> Field { field("Upload-Draft-Interop-Version", "\(version)") }
    private static let forms: [UploadProtocol] = [.tus, .draft(3), .draft(5), .draft(6), .draft(8)]

    /// The fields with which a server of a protocol describes an upload.
    private func report(_ form: UploadProtocol, _ offset: Int, isComplete: Bool = false) -> Header {
        switch form {
        case .tus: [Self.offset(offset)]
        case .draft(3): [Self.offset(offset), Self.field("Upload-Incomplete", isComplete ? "?0" : "?1")]
        default: [Self.offset(offset), isComplete ? Self.complete : Self.incomplete]
        }
    }

    private func announcement(_ form: UploadProtocol) -> StubTransport.Reply {
        switch form {
        case .tus: .reply(204, header: Header(Self.tus))
        case .draft(8): .reply(204, header: [Self.field("Accept-Patch", "text/x, application/partial-upload")])
        default: .reply(400, header: [Self.version(Int("\(form)".dropFirst(6)) ?? 0)])
        }
    }

    /// The method of a request and its fields about the upload, without the media type of the whole body.
    private func fields(_ request: PreparedRequest) -> String {
        let fields = request.header.filter { field in
            let name = field.name.rawValue
            return name.hasPrefix("Upload-") || name.hasPrefix("Tus-")
                || name == "Content-Type" && request.method == .patch
        }
        let texts = fields.map { "\($0.name.rawValue): \($0.value)" }.sorted()
        return ([request.method.rawValue] + texts).joined(separator: " | ")
    }

    /// The fields of a protocol: of each request, of a creation, of a part, and of the last part.
    private static let written: [(UploadProtocol, each: String, creation: String, part: String, last: String)] = [
        (
            .tus, "Tus-Resumable: 1.0.0", "Upload-Length: 100", "Content-Type: application/offset+octet-stream",
            "Content-Type: application/offset+octet-stream"
        ),
        (
            .draft(3), "Upload-Draft-Interop-Version: 3", "Upload-Incomplete: ?1",
            "Content-Type: application/partial-upload, Upload-Incomplete: ?1",
            "Content-Type: application/partial-upload, Upload-Incomplete: ?0"
        ),
        (
            .draft(5), "Upload-Draft-Interop-Version: 5", "Upload-Complete: ?0",
            "Content-Type: application/partial-upload, Upload-Complete: ?0",
            "Content-Type: application/partial-upload, Upload-Complete: ?1"
        ),
        (
            .draft(6), "Upload-Draft-Interop-Version: 6", "Upload-Complete: ?0, Upload-Length: 100",
            "Content-Type: application/partial-upload, Upload-Complete: ?0",
            "Content-Type: application/partial-upload, Upload-Complete: ?1"
        ),
        (
            .draft(8), "Upload-Draft-Interop-Version: 8", "Upload-Complete: ?0, Upload-Length: 100",
            "Content-Type: application/partial-upload, Upload-Complete: ?0",
            "Content-Type: application/partial-upload, Upload-Complete: ?1"
        ),
    ]

    @Test("Each step of an upload in each protocol", arguments: forms)
    func steps(form: UploadProtocol) async throws {
        let stub = StubTransport(script: [
            announcement(form), .reply(201, header: Header([Self.resource] + report(form, 0))),
            .failure(.closed), .reply(form == .tus ? 200 : 204, header: report(form, 10)),
            .reply(204, header: report(form, 70)), .reply(409, header: report(form, 80)),
            .reply(form == .tus ? 204 : 200, header: report(form, 100, isComplete: true)),
        ])
        let response = try await client(stub).upload(request, partSize: 60)
        #expect(response.statusCode == (form == .tus ? 204 : 200))
        #expect(received(stub) == Self.body)
        let written = try #require(Self.written.first { $0.0 == form })
        let expected = [
            ("POST", [written.creation]), ("PATCH", [written.part, "Upload-Offset: 0"]), ("HEAD", []),
            ("PATCH", [written.part, "Upload-Offset: 10"]), ("PATCH", [written.last, "Upload-Offset: 70"]),
            ("PATCH", [written.last, "Upload-Offset: 80"]),
        ].map { method, fields in
            ([method] + (fields + [written.each]).joined(separator: ", ").components(separatedBy: ", ").sorted())
                .joined(separator: " | ")
        }
        #expect(stub.requests.dropFirst().map(fields) == expected)
    }

    @Test("An upload whose length becomes known at its end, in each protocol", arguments: forms)
    func unknownLength(form: UploadProtocol) async throws {
        let chunks = AsyncStream<Data> { continuation in
            for start in stride(from: 0, to: 100, by: 7) {
                continuation.yield(Self.body[start..<min(start + 7, 100)])
            }
            continuation.finish()
        }
        let stub = StubTransport(script: [
            announcement(form), .reply(201, header: Header([Self.resource] + report(form, 0))),
            .reply(204, header: report(form, 50)), .failure(.closed),
            .reply(form == .tus ? 200 : 204, header: report(form, 60)),
            .reply(200, header: report(form, 100, isComplete: true)),
        ])
        let stream = api.post(.chunks(chunks), to: "/videos", receiving: .data)
        _ = try await client(stub).upload(stream, partSize: 50)
        #expect(received(stub) == Self.body)
        let sent = stub.requests.map { $0.header["Upload-Length" as Field.Name] }
        #expect(sent == (form == .tus ? [nil, nil, nil, "100", nil, "100"] : Array(repeating: nil, count: 6)))
        #expect(stub.requests[1].header["Upload-Defer-Length" as Field.Name] == (form == .tus ? "1" : nil))
    }

    // MARK: Discovery

    @Test(
        "The server's response to OPTIONS chooses the protocol",
        arguments: [
            (204, tus, "tus 1.0.0"), (200, tus + [version(6)], "tus 1.0.0"), (404, tus, "none"),
            (204, [field("Tus-Version", "0.2.2")], "none"), (204, [version(3)], "draft 3"),
            (400, [version(6)], "draft 6"), (200, [version(7)], "none"), (200, [version(8)], "draft 8"),
            (200, [field("Accept-Patch", "application/partial-upload")], "draft 8"),
            (200, [field("Accept-Patch", "application/json")], "none"), (200, [limit("min-size=0")], "draft 8"),
            (405, [limit("min-size=0")], "none"), (200, [], "none"), (200, [limit("?"), version(99)], "none"),
        ] as [(Int, [Field], String)]
    )
    func discovery(status: Int, header: [Field], expected: String) throws {
        let head = try ResponseHead(
            statusCode: status,
            header: Header(header),
            url: RequestURL("https://a.example/videos")
        )
        #expect(UploadSupport(head).form?.description ?? "none" == expected)
    }

    @Test("Limits without a version belong to the version that was asked for", arguments: [3, 5, 6, 8])
    func askedVersion(version: Int) async throws {
        let form = UploadProtocol.draft(version)
        let stub = StubTransport(script: [
            .reply(200, header: [Self.limit("min-size=0")]),
            .reply(201, header: Header([Self.resource] + report(form, 0))),
            .reply(200, header: report(form, 100, isComplete: true)),
        ])
        _ = try await client(stub).upload(request, protocol: form, partSize: 100)
        let versions = stub.requests.map { $0.header["Upload-Draft-Interop-Version" as Field.Name] }
        #expect(versions == Array(repeating: "\(version)", count: 3))
    }

    @Test("A client asks a URL once, and its copies know the answer")
    func remembered() async throws {
        let stub = StubTransport(script: [
            announcement(.tus), .reply(201, header: [Self.resource]), .reply(204, header: [Self.offset(100)]),
            .reply(201, header: [Self.resource]), .reply(204, header: [Self.offset(100)]), .reply(404), .reply(200),
        ])
        let client = client(stub)
        _ = try await client.upload(request)
        var copy = client
        copy.configuration.retries = .never
        _ = try await copy.upload(request)
        // Another URL of the same origin may have another protocol.
        _ = try await copy.upload(api.post(.raw(data: Self.body), to: "/films"))
        #expect(
            stub.requests.map { "\($0.method.rawValue) \($0.url.path)" } == [
                "OPTIONS /videos", "POST /videos", "PATCH /uploads/s3cret", "POST /videos", "PATCH /uploads/s3cret",
                "OPTIONS /films", "POST /films",
            ]
        )
        #expect(stub.requests[6].header["Upload-Draft-Interop-Version" as Field.Name] == "8")
    }

    @Test("A server that refuses the newest draft for a known one gets that, once")
    func refusedDraft() async throws {
        let refusal = StubTransport.Reply.reply(400, header: [Self.version(3)])
        let stub = StubTransport(script: [.reply(404), refusal, .reply(201, text: "done")])
        #expect(try await client(stub).upload(request).content == Data("done".utf8))
        let versions = stub.requests.map { $0.header["Upload-Draft-Interop-Version" as Field.Name] }
        #expect(versions == ["8", "8", "3"])
        #expect(stub.requests[2].header["Upload-Incomplete" as Field.Name] == "?0")
        let other = StubTransport(script: [
            .reply(404), refusal, .reply(400, header: [Self.version(6)]), .reply(201, text: "done"),
        ])
        #expect(try await client(other).upload(request).content == Data("done".utf8))
        #expect(!other.requests[3].header.contains("Upload-Draft-Interop-Version"))
    }

    @Test("The log and the state say which protocol was chosen")
    func chosen() async throws {
        let state = FileManager.default.temporaryDirectory.appending(path: "upload-\(UUID())")
        defer { try? FileManager.default.removeItem(at: state) }
        let text = Locked("")
        let stub = StubTransport(script: [
            announcement(.tus), .reply(201, header: [Self.resource]), .failure(.closed),
            .reply(200, header: [Self.offset(60)]), .reply(204, header: [Self.offset(100)]),
        ])
        var client = client(stub, retries: .never)
        client.configuration.log = LogDestination { event in text.withLock { $0 += "\(event)\n" } }
        _ = await client.uploadError(request, protocol: .automatic, state: state)
        #expect(text.withLock { $0.contains("the upload uses the protocol tus 1.0.0") })
        #expect(try String(contentsOf: state, encoding: .utf8).contains("\ntus 1.0.0\n"))
        // The state knows better than the argument.
        _ = try await client.upload(request, protocol: .draft(8), state: state)
        #expect(stub.requests.map(\.method).suffix(2) == [.head, .patch])
        #expect(stub.requests.suffix(2).allSatisfy { $0.header["Tus-Resumable" as Field.Name] == "1.0.0" })
    }

    @Test("Another version of the draft, a part without bytes and invalid metadata are refused")
    func invalid() async throws {
        let stub = StubTransport(script: [])
        let errors = [
            await client(stub).uploadError(request, protocol: .draft(4)),
            await client(stub).uploadError(request, partSize: 0),
            await client(stub).uploadError(
                api.post(.chunks(AsyncStream<Data> { $0.finish() }), to: "/"),
                protocol: .tus
            ),
        ]
        for (error, part) in zip(errors, ["draft 4", "parts of 0 bytes", "Set a part size"]) {
            #expect((error as? ClientError)?.code == .uploadFailed)
            #expect((error as? ClientError)?.message.contains(part) == true)
        }
        #expect(stub.requests.isEmpty)
    }
}
