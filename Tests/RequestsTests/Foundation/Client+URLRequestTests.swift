#if FullFoundation
import Foundation
import RequestsTesting
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("A client as a replacement for URLSession", .timeLimit(.minutes(5)))
struct ClientURLRequestTests {
    private let client = Client(
        transport: StubTransport { request in
            try .stub(200, header: ["X-A": "1"], body: Data("ab".utf8) + Data("c".utf8), for: request)
        }
    )
    private let request = URLRequest(url: URL("https://a.example/x"))

    @Test("The client's method fits the closure that other libraries take")
    func data() async throws {
        let fetch: (URLRequest) async throws -> (Data, URLResponse) = client.data(for:)
        let (data, response) = try await fetch(request)
        #expect(data == Data("abc".utf8))
        let http = try #require(response as? HTTPURLResponse)
        #expect(http.statusCode == 200)
        #expect(http.value(forHTTPHeaderField: "x-a") == "1")
    }

    @Test("Bytes arrive one by one with the head")
    func bytes() async throws {
        let (bytes, response) = try await client.bytes(for: request)
        var read: [UInt8] = []
        for try await byte in bytes { read.append(byte) }
        #expect(read == Array("abc".utf8))
        #expect((response as? HTTPURLResponse)?.statusCode == 200)
    }

    @Test("Bytes have lines on every platform, without empty ones")
    func lines() async throws {
        let chunks = ["a\r", "\nb\n\n", "c\rd\u{e9}", "\r\r\n", "e"].map { Data($0.utf8) }
        let client = Client(transport: StubTransport(script: [.reply(200, chunks: chunks)]))
        var lines: [String] = []
        for try await line in try await client.bytes(for: request).0.lines { lines.append(line) }
        #expect(lines == ["a", "b", "c", "d\u{e9}", "e"])
    }

    #if !canImport(Darwin)
    @Test("A line of 1 MiB is read, and one more byte is an error", arguments: [0, 1])
    func longLine(extra: Int) async throws {
        let body = Data(repeating: UInt8(ascii: "x"), count: 1 << 20 + extra)
        let client = Client(transport: StubTransport(script: [.reply(200, data: body)]))
        var lines = try await client.bytes(for: request).0.lines.makeAsyncIterator()
        let length: Int? = extra == 0 ? 1 << 20 : nil
        do {
            #expect(try await lines.next()?.utf8.count == length)
        } catch let error as URLError where error.code == .dataLengthExceedsMaximum {
            #expect(length == nil)
        }
    }
    #endif

    @Test(
        "The transport asks for the encodings that it decodes, unless none are wanted",
        arguments: [("gzip, br", nil), ("identity", "identity"), ("Identity", "Identity")]
    )
    func encodings(asked: String, sent: String?) async throws {
        let stub = StubTransport(script: [.reply(200), .reply(200)])
        var request = request
        request.setValue(asked, forHTTPHeaderField: "Accept-Encoding")
        _ = try await Client(transport: stub).data(for: request)
        _ = try await Client(transport: stub).bytes(for: request)
        #expect(stub.requests.map { $0.header[.acceptEncoding] } == [sent, sent])
    }

    @Test("Every status is a response, as for URLSession", arguments: [401, 404, 503])
    func anyStatus(status: Int) async throws {
        let client = Client(transport: StubTransport { try .stub(status, body: Data("why".utf8), for: $0) })
        let (data, response) = try await client.data(for: request)
        #expect(data == Data("why".utf8))
        #expect((response as? HTTPURLResponse)?.statusCode == status)
    }

    @Test(
        "Errors are URLErrors with the library's error inside",
        arguments: [
            (.nameNotResolved, .cannotFindHost), (.cannotConnect, .cannotConnectToHost), (.timedOut(.total), .timedOut),
            (.timedOut(.attempt), .timedOut), (.tlsUntrusted, .serverCertificateUntrusted),
            (.closed, .networkConnectionLost), (.shutdown, .cancelled), (.malformed, .badServerResponse),
        ] as [(TransportError.Code, URLError.Code)]
    )
    func errors(code: TransportError.Code, expected: URLError.Code) async throws {
        let client = Client(transport: StubTransport(script: [.failure(code), .failure(code)]))
        let collecting = await #expect(throws: URLError.self) { try await client.data(for: request) }
        let streaming = await #expect(throws: URLError.self) { _ = try await client.bytes(for: request) }
        for error in [collecting, streaming] {
            #expect(error?.code == expected)
            #expect((error?.userInfo[NSUnderlyingErrorKey] as? TransportError)?.code == code)
        }
        #expect(URLError(TransportError(code: code, message: "", phase: .sending)).code == expected)
    }

    @Test(
        "An invalid request has URLSession's error for it",
        arguments: [
            ("ftp://a.example", [:], 60, .unsupportedURL), ("https://a.example/%2E%2E/x", [:], 60, .badURL),
            ("https://u:p@a.example", [:], 60, .badURL), ("https://a.example", [:], -1, .timedOut),
            ("https://a.example", ["X-A": "a\u{0}b"], 60, .unknown),
        ] as [(String, [String: String], Double, URLError.Code)]
    )
    func invalid(url: String, header: [String: String], timeout: Double, expected: URLError.Code) async throws {
        var request = URLRequest(url: try #require(URL(string: url)), timeoutInterval: timeout)
        request.allHTTPHeaderFields = header
        let sent = request
        let error = await #expect(throws: URLError.self) { try await client.data(for: sent) }
        #expect(error?.code == expected)
        #expect(error?.userInfo[NSUnderlyingErrorKey] is RequestError)
    }

    @Test("A transport's own URLError keeps its code, and other errors have URLSession's")
    func otherErrors() async throws {
        let offline = TransportError(
            code: .cannotConnect,
            message: "",
            phase: .connecting,
            underlying: URLError(.notConnectedToInternet)
        )
        let codes: [(any Error, URLError.Code)] = [
            (offline, .notConnectedToInternet),
            (ClientError(code: ClientError.Code(rawValue: "notCached"), message: ""), .resourceUnavailable),
            (ClientError(code: .bodyNotReplayable, message: ""), .requestBodyStreamExhausted),
            (ClientError(code: .redirectLimit, message: ""), .httpTooManyRedirects),
            (ClientError(code: .crossOriginBody, message: ""), .badServerResponse),
        ]
        for (thrown, expected) in codes {
            let client = Client(transport: StubTransport { _ in throw thrown })
            let error = await #expect(throws: URLError.self) { try await client.data(for: request) }
            #expect(error?.code == expected)
        }
    }

    @Test(
        "A body of a file that can't be read has URLSession's error for it",
        arguments: [
            ("/missing/file", .fileDoesNotExist), ("/dev", .fileIsDirectory), ("/dev/null", .cannotOpenFile),
        ] as [(String, URLError.Code)]
    )
    func files(path: String, expected: URLError.Code) async throws {
        let client = Client(
            transport: StubTransport { _ in
                throw try #require(throws: RequestError.self) {
                    try BaseURL("https://h").post(.file(URL(filePath: path)), to: "/").prepared()
                }
            }
        )
        let error = await #expect(throws: URLError.self) { try await client.data(for: request) }
        #expect(error?.code == expected)
    }

    @Test("An error names the URL that failed, without its secrets")
    func failingURL() async throws {
        let client = Client(transport: StubTransport(script: [.failure(.closed)]))
        let request = URLRequest(url: URL("https://a.example/x?page=2&token=s3cret"))
        let error = try #require(await #expect(throws: URLError.self) { try await client.data(for: request) })
        #expect(error.failingURL?.absoluteString.hasPrefix("https://a.example/x?page=2&token=") == true)
        #expect(!"\(error)".contains("s3cret"))
    }

    @Test("An error about another scheme names the URL, without its secrets")
    func failingScheme() async throws {
        let client = Client(transport: StubTransport(script: []))
        let request = URLRequest(url: try #require(URL(string: "ftp://ada:s3cret@a.example/x?token=s3cret#s3cret")))
        let error = try #require(await #expect(throws: URLError.self) { try await client.data(for: request) })
        #expect(error.code == .unsupportedURL)
        #expect(error.failingURL?.absoluteString == "ftp://a.example/x")
        #expect(!"\(error)".contains("s3cret"))
    }

    @Test("A body that breaks throws URLError from the bytes")
    func brokenBytes() async throws {
        let reply = StubTransport.Reply.reply(200, chunks: [Data("a".utf8)], failure: .truncated)
        let (bytes, _) = try await Client(transport: StubTransport(script: [reply])).bytes(for: request)
        let error = await #expect(throws: URLError.self) { for try await _ in bytes {} }
        #expect(error?.code == .networkConnectionLost)
    }

    @Test("A canceled call throws URLError.cancelled, as URLSession does")
    func canceled() async throws {
        let client = Client(transport: StubTransport { _ in throw CancellationError() })
        let error = await #expect(throws: URLError.self) { try await client.data(for: request) }
        #expect(error?.code == .cancelled)
    }
}
#endif
