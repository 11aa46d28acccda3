import RequestsTesting
import Testing

@testable import RequestsUploads

@Suite("What an upload resource gets", .timeLimit(.minutes(5)))
struct UploadSecurityTests: UploadSuite {
    private static let elsewhere = Field(name: "Location", value: "https://b.example/uploads/s3cret")
    private static let unencrypted = Field(name: "Location", value: "http://a.example/uploads/s3cret")

    private func continued(_ location: Field) -> StubTransport {
        StubTransport(script: [
            supported(.failure(.closed), at: location), .reply(204, header: [Self.offset(60), Self.incomplete]),
            .reply(200, header: [Self.complete]),
        ])
    }

    private var sensitive: Request<BaseURL, Data> {
        request.setting(headerField: Field(name: "X-Api-Key", value: "key"))
            .setting(headerField: Field(name: "X-Tenant", value: "7"))
    }

    @Test("The client's credentials, the cookies and the request's own fields go to the origin of the target")
    func sameOrigin() async throws {
        let stub = continued(Self.resource)
        var client = client(stub)
        client.configuration.authenticate("https://a.example", with: .bearerToken("token"))
        _ = try await client.upload(sensitive, protocol: .draft(8))
        for request in stub.requests {
            #expect(request.header[.authorization] == "Bearer token")
            #expect(request.header["X-Api-Key" as Field.Name] == "key")
            #expect(request.header["X-Tenant" as Field.Name] == "7")
        }
    }

    @Test("Each request of the upload is authenticated")
    func challenges() async throws {
        let field = Field(name: "WWW-Authenticate", value: #"Digest realm="a", nonce="n", qop="auth""#)
        let stub = StubTransport(script: [
            .reply(401, header: [field]), supported(.failure(.closed)),
            .reply(204, header: [Self.offset(60), Self.incomplete]), .reply(200, header: [Self.complete]),
        ])
        var client = client(stub)
        client.configuration.authenticate("https://a.example", with: .digest(username: "ada", password: "p4ss"))
        _ = try await client.upload(request, protocol: .draft(8))
        let paths = ["/videos", "/uploads/s3cret", "/uploads/s3cret"]
        for (request, path) in zip(stub.requests.dropFirst(), paths) {
            #expect(request.header[.authorization]?.contains("uri=\"\(path)\"") == true)
        }
        #expect(stub.requests.count == 4)
    }

    @Test("An upload resource that another origin names isn't used")
    func redirectedAway() async throws {
        let stub = StubTransport(script: [
            .reply(307, header: [Field(name: "Location", value: "https://b.example/videos")]),
            supported(.failure(.closed), at: Field(name: "Location", value: "https://a.example/uploads/1")),
        ])
        var client = client(stub)
        client.configuration.redirects = .follow(sendsBodyToOtherOrigins: true)
        #expect((await client.uploadError(request) as? TransportError)?.code == .closed)
        #expect(stub.requests.count == 2)
    }

    @Test("Another origin doesn't get the body")
    func otherOrigin() async throws {
        let stub = continued(Self.elsewhere)
        let error = try #require(await client(stub).uploadError(sensitive) as? ClientError)
        #expect(error.code == .crossOriginBody)
        #expect(error.message.contains("https://b.example"))
        #expect(!error.message.contains("s3cret"))
        #expect(stub.requests.count == 1)
    }

    @Test("A refused creation is the response, wherever the upload resource is")
    func refusedCreation() async throws {
        let stub = StubTransport(script: [supported(.reply(403), at: Self.elsewhere)])
        #expect((await client(stub).uploadError(request) as? ResponseError)?.statusCode == 403)
    }

    @Test("Another origin that is allowed gets the body, and no credentials of the first")
    func allowedOrigin() async throws {
        let stub = continued(Self.elsewhere)
        var client = client(stub)
        client.configuration.authenticate("https://a.example", with: .bearerToken("token"))
        client.configuration.redirects = .follow(sendsBodyToOtherOrigins: true)
        let response = try await client.upload(sensitive, protocol: .draft(8))
        // Its relative links belong to that origin.
        #expect(response.url.host == "b.example")
        #expect(stub.requests.count == 3)
        for request in stub.requests.dropFirst() {
            #expect(request.url.host == "b.example")
            #expect(request.header[.authorization] == nil)
            #expect(request.header["X-Api-Key" as Field.Name] == nil)
            #expect(request.header["X-Tenant" as Field.Name] == "7")
        }
    }

    @Test("An upload doesn't continue without encryption")
    func downgrade() async throws {
        let stub = continued(Self.unencrypted)
        let error = try #require(await client(stub).uploadError(request) as? ClientError)
        #expect(error.code == .refusedDowngrade)
        #expect(stub.requests.count == 1)
    }

    @Test("Fields of the whole body, conditions and the key of the creation don't go to the upload resource")
    func fields() async throws {
        let names: [Field.Name] = [
            .contentType, .contentEncoding, "Content-Disposition", "Content-Digest", "Repr-Digest", "Want-Repr-Digest",
            .ifNoneMatch, "If-Match", "Expect", "Digest", .idempotencyKey, "Upload-Length",
        ]
        let stub = continued(Self.resource)
        let fields = names.map { Field(name: $0, value: $0 == .contentType ? "text/plain" : "1") }
        var client = client(stub)
        client.configuration.isIdempotent = true
        _ = try await client.upload(fields.reduce(request) { $0.setting(headerField: $1) }, protocol: .draft(8))
        for name in names.dropLast() { #expect(stub.requests[0].header.contains(name), "\(name)") }
        for request in stub.requests.dropFirst() {
            for name in names.dropFirst() { #expect(!request.header.contains(name), "\(name)") }
            #expect(request.header[.cacheControl] == "no-store")
        }
        #expect(!stub.requests[1].header.contains(.contentType))
        #expect(stub.requests[2].header[.contentType] == "application/partial-upload")
    }

    @Test("Neither errors nor logs show the URL of the upload resource")
    func secret() async throws {
        let text = Locked("")
        let stub = StubTransport(script: [supported(.failure(.closed)), .failure(.closed)])
        var client = client(stub, retries: .fixed(.zero, limit: 1))
        client.configuration.log = LogDestination { event in text.withLock { $0 += "\(event)\n" } }
        let error = await client.uploadError(request)
        let log = text.withLock { $0 }
        #expect(log.contains("https://a.example/REDACTED"))
        #expect(!log.contains("s3cret"))
        #expect(!"\(error)".contains("s3cret"))
        let request = try #require(stub.requests.last)
        #expect(request.url.text.contains("s3cret"))
        #expect(!request.description.contains("s3cret"))
        let command = request.curlCommand()
        #expect(!command.contains("s3cret"))
    }
}
