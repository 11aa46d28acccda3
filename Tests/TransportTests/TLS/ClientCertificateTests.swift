import RequestsCurl
import Testing

@Suite(
    "Client certificates over libcurl",
    .timeLimit(.minutes(5)),
    .enabled(if: Nginx.certificates != nil, "scripts/test makes certificates")
)
struct ClientCertificateTests {
    private typealias Certificate = CurlTransport.TLS.ClientCertificate

    private func send(_ certificate: Certificate?) async throws -> String {
        var configuration = CurlTransport.Configuration()
        configuration.tls.authorities = .file(try #require(Nginx.authority))
        configuration.tls.clientCertificate = certificate
        let client = Client(transport: try CurlTransport(configuration: configuration))
        let api = BaseURL(baseURL: try #require(Nginx.tlsURL))
        return try await client.send(api.get(.text, from: "/client"))
    }

    private func file(_ name: String) throws -> URL {
        try #require(Nginx.certificates).appending(path: name)
    }

    @Test("Without a configured client certificate, the server receives none")
    func none() async throws {
        #expect(try await send(nil) == "NONE ")
    }

    /// Sends an in-memory certificate, which libcurl supports only with OpenSSL.
    private func expectSuccess(inMemory certificate: Certificate) async throws {
        guard LibcurlBuild.usesOpenSSL else {
            let error = await #expect(throws: TransportError.self) { try await send(certificate) }
            #expect(error?.code == .unsupported)
            return
        }
        #expect(try await send(certificate) == "SUCCESS CN=Ada")
    }

    @Test("The server accepts a client certificate in PEM format from files and from memory")
    func pem() async throws {
        let (certificate, key) = (try file("client.pem"), try file("client.key"))
        #expect(try await send(.pem(certificate: certificate, key: key)) == "SUCCESS CN=Ada")
        let inMemory = Certificate.pem(certificate: try Data(contentsOf: certificate), key: try Data(contentsOf: key))
        try await expectSuccess(inMemory: inMemory)
    }

    @Test("The server accepts a client certificate in PKCS #12 format from a file and from memory")
    func pkcs12() async throws {
        let file = try file("client.p12")
        #expect(try await send(.pkcs12(file, password: "tests")) == "SUCCESS CN=Ada")
        try await expectSuccess(inMemory: .pkcs12(Data(contentsOf: file), password: "tests"))
    }

    @Test("A wrong password for a client certificate is a TLS error that doesn't contain it")
    func wrongPassword() async throws {
        let error = await #expect(throws: TransportError.self) {
            try await send(.pkcs12(file("client.p12"), password: "s3cret"))
        }
        #expect(error?.code == .tlsFailed)
        #expect(error.map { "\($0)".contains("s3cret") } == false)
    }

    @Test("An encrypted client key without a password is a TLS error instead of a prompt")
    func encryptedKey() async throws {
        let (certificate, key) = (try file("client.pem"), try file("client.encrypted.key"))
        for _ in 0..<2 {
            let error = await #expect(throws: TransportError.self) {
                try await send(.pem(certificate: certificate, key: key))
            }
            #expect(error?.code == .tlsFailed, "\(error as Any)")
        }
        let inMemory = Certificate.pem(certificate: try Data(contentsOf: certificate), key: try Data(contentsOf: key))
        let error = await #expect(throws: TransportError.self) { try await send(inMemory) }
        #expect(error?.code == (LibcurlBuild.usesOpenSSL ? .tlsFailed : .unsupported))
        #expect(try await send(.pem(certificate: certificate, key: key, password: "tests")) == "SUCCESS CN=Ada")
    }

    @Test("The description of a client certificate contains no key or password")
    func description() throws {
        let certificate = Certificate.pkcs12(Data("s3cret".utf8), password: "s3cret")
        var dumped = ""
        dump(certificate, to: &dumped)
        #expect(!"\(certificate) \(String(reflecting: certificate)) \(dumped)".contains("s3cret"))
    }
}
