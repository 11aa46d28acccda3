import RequestsTesting
import Testing

@testable import RequestsUploads

@Suite("Uploads with tus", .timeLimit(.minutes(5)))
struct UploadTusTests: UploadSuite {
    private static func announced(_ more: (Field.Name, String)...) -> StubTransport.Reply {
        let fields = [Field(name: "Tus-Version", value: "1.0.0")] + more.map { Field(name: $0, value: $1) }
        return .reply(204, header: Header(fields))
    }
    private static let created = StubTransport.Reply.reply(201, header: [resource])
    private static func has(_ offset: Int) -> StubTransport.Reply { .reply(204, header: [Self.offset(offset)]) }

    private func lines(_ stub: StubTransport) -> [String] {
        requests(stub).map { $0.replacing("/uploads/s3cret", with: "U").replacing(" bytes", with: "") }
    }

    @Test("The last bytes end the upload, and the response has the upload's URL")
    func whole() async throws {
        let stub = StubTransport(script: [Self.announced(), Self.created, Self.has(100)])
        let response = try await client(stub).upload(request)
        #expect(lines(stub) == ["OPTIONS /videos", "POST /videos 0", "PATCH U 0 100"])
        #expect(response.url.text == "https://a.example/uploads/s3cret")
        #expect(!"\(response.url)".contains("s3cret"))
    }

    private static let withUpload: (Field.Name, String) = ("Tus-Extension", "creation, creation-with-upload")

    @Test("A small body is sent with the creation to a server that announces it, and the response has the upload's URL")
    func creationWithUpload() async throws {
        let created = StubTransport.Reply.reply(201, header: [Self.resource, Self.offset(100)])
        let stub = StubTransport(script: [Self.announced(Self.withUpload), created])
        let response = try await client(stub).upload(request, metadata: ["filename": "a"])
        #expect(lines(stub) == ["OPTIONS /videos", "POST /videos 100"])
        #expect(response.statusCode == 201)
        #expect(response.url.text == "https://a.example/uploads/s3cret")
        let header = stub.requests[1].header
        #expect(header[.contentType] == "application/offset+octet-stream")
        #expect(header["Upload-Length" as Field.Name] == "100")
        #expect(header["Upload-Metadata" as Field.Name] == "filename YQ==")
    }

    @Test("A server that takes less with the creation than it announces gets the rest", arguments: [nil, 0, 30])
    func partialCreation(offset: Int?) async throws {
        let fields = [Self.resource] + (offset.map { [Self.offset($0)] } ?? [])
        let created = StubTransport.Reply.reply(201, header: Header(fields))
        let stub = StubTransport(
            script: [Self.announced(Self.withUpload), created, Self.has(offset ?? 0), Self.has(100)]
        )
        #expect(try await client(stub).upload(request).statusCode == 204)
        #expect(
            lines(stub) == [
                "OPTIONS /videos", "POST /videos 100", "HEAD U", "PATCH U \(offset ?? 0) \(100 - (offset ?? 0))",
            ]
        )
    }

    @Test("A large body, parts, and a body with a state aren't sent with the creation")
    func creationWithoutUpload() async throws {
        let large = api.post(.raw(data: Data(count: (64 << 10) + 1)), to: "/videos", receiving: .data)
        let stub = StubTransport(script: [Self.announced(Self.withUpload), Self.created, Self.has((64 << 10) + 1)])
        _ = try await client(stub).upload(large)
        #expect(lines(stub)[1] == "POST /videos 0")
        let state = URL.temporaryDirectory.appending(path: "upload-\(UUID())")
        for (partSize, state) in [(100, nil), (nil, state)] as [(Int64?, URL?)] {
            let stub = StubTransport(script: [Self.announced(Self.withUpload), Self.created, Self.has(100)])
            _ = try await client(stub).upload(request, partSize: partSize, state: state)
            #expect(lines(stub)[1] == "POST /videos 0")
        }
    }

    @Test("If the last response is lost, the offset says that the upload is complete")
    func lostResponse() async throws {
        let stub = StubTransport(script: [Self.announced(), Self.created, .failure(.closed), Self.has(100)])
        #expect(try await client(stub).upload(request).statusCode == 204)
        #expect(lines(stub).last == "HEAD U")
    }

    @Test("An empty file is complete once it is created")
    func empty() async throws {
        let stub = StubTransport(script: [Self.announced(), Self.created])
        let response = try await client(stub).upload(api.post(.raw(data: Data()), to: "/videos", receiving: .data))
        #expect(response.statusCode == 201)
        #expect(lines(stub) == ["OPTIONS /videos", "POST /videos 0"])
        #expect(stub.requests[1].header["Upload-Length" as Field.Name] == "0")
        // A server without uploads that resume gets an ordinary request.
        let other = StubTransport(script: [.reply(404), .reply(200)])
        _ = try await client(other).upload(api.post(.raw(data: Data()), to: "/videos"))
        #expect(requests(other) == ["OPTIONS /videos", "POST /videos 0 bytes"])
    }

    @Test("A server that doesn't answer OPTIONS gets an upload of tus if the caller says so")
    func explicit() async throws {
        let stub = StubTransport(script: [.reply(403), Self.created, Self.has(100)])
        _ = try await client(stub).upload(request, protocol: .tus)
        #expect(lines(stub) == ["OPTIONS /videos", "POST /videos 0", "PATCH U 0 100"])
        #expect(!stub.requests[0].header.contains("Tus-Resumable"))
        let other = StubTransport(script: [.reply(403), .reply(200, text: "done")])
        let error = await client(other).uploadError(request, protocol: .tus) as? ClientError
        #expect(error?.message.contains("the server doesn't say where") == true)
    }

    @Test("A creation that a server refuses is the response of the call", arguments: [401, 412, 413, 500])
    func refusedCreation(status: Int) async throws {
        let stub = StubTransport(script: [Self.announced(), .reply(status, text: "no")])
        #expect((await client(stub).uploadError(request, protocol: .automatic) as? ResponseError)?.statusCode == status)
    }

    @Test("A body that is too large isn't sent, not even to create the upload")
    func tooLarge() async throws {
        let stub = StubTransport(script: [Self.announced(("Tus-Max-Size", "99"))])
        let client = client(stub)
        for _ in 0..<2 {
            let error = await client.uploadError(request, protocol: .automatic) as? ClientError
            #expect(error?.message.contains("has 100 bytes, but the server accepts at most 99") == true)
        }
        #expect(lines(stub) == ["OPTIONS /videos"])
    }

    @Test("Metadata describes the file in the creation only")
    func metadata() async throws {
        let stub = StubTransport(script: [Self.announced(), Self.created, Self.has(100)])
        let metadata: UploadMetadata = ["filename": "Größe.mp4", "is_private": "", "filetype": "video/mp4"]
        _ = try await client(stub).upload(request, metadata: metadata)
        let name: Field.Name = "Upload-Metadata"
        let expected = "filename R3LDtsOfZS5tcDQ=,is_private,filetype dmlkZW8vbXA0"
        #expect(stub.requests.map { $0.header[name] } == [nil, expected, nil])
        #expect(!stub.requests[1].header.contains(.contentType))
    }

    @Test("Invalid keys of metadata are refused", arguments: ["", "a b", "a,b", "ä", "a\n"])
    func invalidKeys(key: String) async throws {
        #expect(UploadMetadata([key: "1"]).invalidKey == key)
        #expect((["a": "1", "a": "2"] as UploadMetadata).invalidKey == "a")
        let stub = StubTransport(script: [])
        await #expect(throws: ClientError.self) {
            try await client(stub).upload(request, metadata: UploadMetadata([key: "1"]))
        }
    }

    @Test("An upload that a backend has created gets the body from its offset on, without credentials of the target")
    func continuing() async throws {
        let stub = StubTransport(script: [Self.has(30), Self.has(70), Self.has(100)])
        var client = client(stub)
        client.configuration.authenticate("https://a.example", with: .bearerToken("token"))
        _ = try await client.upload(request, continuing: URL("https://b.example/files/s3cret"), partSize: 40)
        #expect(
            stub.requests.map { "\($0.method.rawValue) \($0.url.text)" } == [
                "HEAD https://b.example/files/s3cret", "PATCH https://b.example/files/s3cret",
                "PATCH https://b.example/files/s3cret",
            ]
        )
        #expect(stub.requests.allSatisfy { !$0.header.contains(.authorization) && !$0.description.contains("s3cret") })
        #expect(stub.requests[1].body.data == Self.body[30..<70])
    }

    @Test("A stream continues an upload that a backend has created from the server's offset on")
    func continuingStream() async throws {
        let stub = StubTransport(script: [Self.has(30), Self.has(70), Self.has(100)])
        let chunks = AsyncStream<Data> { continuation in
            for byte in Self.body { continuation.yield(Data([byte])) }
            continuation.finish()
        }
        let put = api.put(.chunks(chunks), to: "/videos")
        _ = try await client(stub).upload(put, continuing: URL("https://a.example/uploads/s3cret"), partSize: 40)
        #expect(lines(stub) == ["HEAD U", "PATCH U 30 40", "PATCH U 70 30"])
        #expect(stub.requests[2].body.data == Self.body[70...])
    }

    @Test("An offset that a stream or the server's own length can't have ends the upload as soon as that is known")
    func impossibleOffset() async throws {
        let resource = URL("https://a.example/uploads/s3cret")
        let read = Locked(0)
        func stream(length: Int64?) -> Request<BaseURL, Void> {
            let chunks = AsyncStream<Data>(unfolding: {
                read.withLock { count in
                    count += 1
                    return count <= 100 ? Data([1]) : nil
                }
            })
            return api.put(length.map { .chunks(chunks, length: $0) } ?? .chunks(chunks), to: "/videos")
        }
        let cases: [(length: Int64?, serverLength: Int?, chunks: Int, message: String)] = [
            (100, nil, 0, "has 100 bytes, but the server says that it has 101"),
            (nil, 100, 0, "can't be continued: the server says that it has 101 of 100 bytes"),
            (nil, nil, 101, "has 100 bytes, but the server says that it has 101"),
        ]
        for each in cases {
            read.withLock { $0 = 0 }
            let length = each.serverLength.map { [Field(name: "Upload-Length", value: "\($0)")] } ?? []
            let stub = StubTransport(script: [.reply(200, header: Header([Self.offset(101)] + length)), .reply(204)])
            let error = await #expect(throws: ClientError.self) {
                try await client(stub).upload(stream(length: each.length), continuing: resource, partSize: 40)
            }
            #expect(error?.message.contains(each.message) == true)
            #expect(read.withLock { $0 } == each.chunks)
        }
    }

    @Test("The last part of a stream tells the length again, if it is sent again")
    func lengthOfRepeatedPart() async throws {
        let stub = StubTransport(
            script: [Self.announced(), Self.created, Self.has(40), .reply(409), Self.has(40), Self.has(70)]
        )
        let chunks = AsyncStream<Data> { continuation in
            continuation.yield(Self.body.prefix(70))
            continuation.finish()
        }
        _ = try await client(stub).upload(api.post(.chunks(chunks), to: "/videos"), partSize: 40)
        #expect(lines(stub).suffix(4) == ["PATCH U 0 40", "PATCH U 40 30", "HEAD U", "PATCH U 40 30"])
        let lengths = stub.requests.map { $0.header["Upload-Length" as Field.Name] }
        #expect(lengths == [nil, nil, nil, "70", nil, "70"])
    }

    @Test("A server that fails after the last byte is asked, and its offset says that the upload is complete")
    func failureAtTheEnd() async throws {
        let stub = StubTransport(script: [Self.announced(), Self.created, .reply(500), Self.has(100)])
        #expect(try await client(stub).upload(request, protocol: .automatic).statusCode == 204)
        #expect(lines(stub).suffix(2) == ["PATCH U 0 100", "HEAD U"])
        let refusing = StubTransport(script: [Self.announced(), Self.created, .reply(403, text: "no"), Self.has(100)])
        let error = await client(refusing).uploadError(request, protocol: .automatic) as? ClientError
        #expect((error?.underlying as? ResponseError)?.statusCode == 403)
        #expect(lines(refusing).last == "PATCH U 0 100")
    }

    @Test("An upload that a backend has created and that is gone isn't created again")
    func continuingGone() async throws {
        let stub = StubTransport(script: [.reply(404)])
        let put = api.put(.raw(data: Self.body), to: "/videos")
        await #expect {
            try await client(stub).upload(put, continuing: URL("https://a.example/uploads/1"))
        } throws: { ($0 as? ClientError)?.message.contains("is unknown to the server. Create another one") == true }
        #expect(stub.requests.count == 1)
    }

    @Test("An expired upload starts again, if the server can't have processed it")
    func expired() async throws {
        let stub = StubTransport(script: [
            Self.announced(), Self.created, .failure(.closed), Self.has(60), .reply(410), Self.created, Self.has(100),
        ])
        _ = try await client(stub).upload(request)
        #expect(lines(stub).suffix(3) == ["PATCH U 60 40", "POST /videos 0", "PATCH U 0 100"])
    }

    @Test("A method that a network doesn't let pass is sent as POST")
    func overridden() async throws {
        let stub = StubTransport(script: [
            Self.announced(), Self.created, .failure(.closed), Self.has(60), .reply(204, header: [Self.offset(59)]),
            .reply(204),
        ])
        let error = await client(stub).uploadError(request, protocol: .automatic.overridingMethod)
        #expect((error as? ClientError)?.message.contains("the server had 60 bytes, and now has 59") == true)
        let sent = stub.requests.map { "\($0.method) \($0.header["X-HTTP-Method-Override" as Field.Name] ?? "")" }
        #expect(sent == ["OPTIONS ", "POST ", "POST PATCH", "HEAD ", "POST PATCH", "POST DELETE"])
    }

    @Test(
        "A part has the checksum that the server announces",
        arguments: [
            ("md5,sha1", "sha1 C9mFmPmrKcE1nvVGCiBt0TcFFeM="), ("md5", nil),
            ("SHA1, sha256", "sha256 piLhOCnkiEIu5ypfySyxHSXD0PGFoThLgTjfUHTJg78="),
        ] as [(String, String?)]
    )
    func checksums(algorithms: String, expected: String?) async throws {
        let announced = Self.announced(("Tus-Extension", "creation,checksum"), ("Tus-Checksum-Algorithm", algorithms))
        let file = FileManager.default.temporaryDirectory.appending(path: "upload-\(UUID())")
        defer { try? FileManager.default.removeItem(at: file) }
        try Self.body.write(to: file)
        let stub = StubTransport(script: [
            announced, Self.created, Self.has(50), .reply(460), Self.has(50), Self.has(100),
        ])
        _ = try await client(stub).upload(api.post(.file(file), to: "/videos"), partSize: 50)
        #expect(stub.requests[2].header["Upload-Checksum" as Field.Name] == expected)
        #expect(lines(stub).suffix(3) == ["PATCH U 50 50", "HEAD U", "PATCH U 50 50"])
        // Without a part size, the server could discard the whole body.
        let whole = StubTransport(script: [announced, Self.created, Self.has(100)])
        _ = try await client(whole).upload(request)
        #expect(!whole.requests[2].header.contains("Upload-Checksum"))
    }

    @Test("The offset is asked for again after a wait, if another request is using the upload", arguments: [409, 423])
    func locked(status: Int) async throws {
        let clock = TestClock(isImmediate: true)
        let busy = StubTransport.Reply.reply(status, header: [Field(name: "Retry-After", value: "7")])
        let stub = StubTransport(script: [Self.announced(), Self.created, busy, busy, Self.has(10), Self.has(100)])
        var client = client(stub, retries: nil)
        client.configuration.clock = clock
        if status == 423 {
            _ = try await client.upload(request)
            #expect(clock.sleeps.filter { $0 == .seconds(7) }.count == 2)
            #expect(lines(stub).suffix(4) == ["PATCH U 0 100", "HEAD U", "HEAD U", "PATCH U 10 90"])
        }
        let never = StubTransport(script: [Self.announced(), Self.created, busy])
        let error = await self.client(never, retries: .never).uploadError(request, protocol: .automatic)
        #expect(((error as? ClientError)?.underlying as? ResponseError)?.statusCode == status)
        let other = StubTransport(script: [Self.announced(), Self.created, busy, Self.has(10), Self.has(100)])
        client = self.client(other)
        client.configuration.clock = clock
        _ = try await client.upload(request)
        #expect(lines(other).suffix(2) == ["HEAD U", "PATCH U 10 90"])
    }

    @Test("A token that expires during an upload is refreshed for each request that needs it")
    func refreshed() async throws {
        let stub = StubTransport(script: [
            Self.announced(), Self.created, .reply(401), Self.has(40), .reply(401), Self.has(80), .reply(401),
            Self.has(100),
        ])
        let count = Locked(0)
        let tokens = TokenStore(AccessToken("token 0")) { _ in
            AccessToken("token \(count.withLock { $0 += 1; return $0 })")
        }
        var client = client(stub)
        client.configuration.authenticate("https://a.example", with: .refreshing(tokens))
        _ = try await client.upload(request, partSize: 40)
        #expect(count.withLock { $0 } == 3)
        #expect(
            lines(stub).suffix(6) == [
                "PATCH U 0 40", "PATCH U 0 40", "PATCH U 40 40", "PATCH U 40 40", "PATCH U 80 20", "PATCH U 80 20",
            ]
        )
        #expect(stub.requests.last?.header[.authorization] == "Bearer token 3")
    }

    @Test("A stream continues with the part that was kept, and reads the source once")
    func keptParts() async throws {
        let stub = StubTransport(script: [
            Self.announced(), Self.created, .failure(.closed), Self.has(10), .failure(.closed), Self.has(30),
            Self.has(70), Self.has(100),
        ])
        let chunks = AsyncStream<Data> { continuation in
            for byte in Self.body { continuation.yield(Data([byte])) }
            continuation.finish()
        }
        _ = try await client(stub).upload(api.post(.chunks(chunks), to: "/videos"), protocol: .tus, partSize: 40)
        #expect(received(stub) == Self.body)
        #expect(
            lines(stub).dropFirst(2) == [
                "PATCH U 0 40", "HEAD U", "PATCH U 10 40", "HEAD U", "PATCH U 30 40", "PATCH U 70 30",
            ]
        )
        // The bytes before the offset are gone.
        let lost = StubTransport(script: [Self.announced(), Self.created, Self.has(40), .reply(404), Self.created])
        let stream = AsyncStream<Data> {
            $0.yield(Self.body); $0.finish()
        }
        let request = api.post(.chunks(stream), to: "/videos")
        let error = await client(lost).uploadError(request, protocol: .tus, partSize: 40)
        #expect((error as? ClientError)?.message.contains("lacks bytes that can't be read again") == true)
    }
}
