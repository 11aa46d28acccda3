import Foundation
import RequestsTesting
import Testing

@Suite(
    "Cassettes of httpbin",
    .timeLimit(.minutes(5)),
    .enabled(if: HTTPBin.baseURL != nil, HTTPBin.absence)
)
struct CassetteOverHTTPBinTests {
    private let file = FileManager.default.temporaryDirectory.appending(path: "cassette-\(UUID().uuidString).har")

    /// Requests for every kind of response that httpbin has.
    private static func requests() throws -> [PreparedRequest] {
        let api = try HTTPBin.api()
        let bytes = Data((0...255).map { UInt8($0) })
        let parts: Multipart = [.field("title", "ü"), .data("file", bytes, filename: "a.bin", contentType: .binary)]
        // These paths return a different response each time.
        let paths = ["/uuid", "/uuid", "/stream/3", "/stream-bytes/5000", "/cache"]
        let others = ["/gzip", "/deflate", "/brotli", "/image/png", "/encoding/utf8", "/html", "/xml", "/range/100"]
        let statuses = [204, 304, 404, 418, 503].map { "/status/\($0)" }
        let redirects = ["/redirect/1", "/cookies/set/a/1", "/basic-auth/ada/s3cret"]
        let gets = (paths + others + statuses + redirects).map { api.get(.data, from: Endpoint(path: $0)) }
        return try gets.map { try $0.prepared() } + [
            api.get(.data, from: "/anything/\("ä/b")").with(query: [
                URLQueryItem(name: "q", value: "1+1"), URLQueryItem(name: "flag", value: nil),
            ]).prepared(),
            api.head("/get").prepared(),
            api.post(.json(encoded: ["a": [1, 2]]), to: "/anything").prepared(),
            api.post(.form(["a": "1 + 1", "b": "ü"]), to: "/anything").prepared(),
            api.put(.multipart(parts), to: "/anything").prepared(),
            api.patch("/anything", with: .raw(data: bytes)).prepared(),
            api.delete("/anything").prepared(),
        ]
    }

    private let allowingBinary = Cassette.Secrets(unreadable: ["application/octet-stream"])

    private func exchange(_ request: PreparedRequest, over transport: any Transport) async throws -> Response<Data> {
        let response = try await transport.send(request)
        return Response(head: response.head, content: try await response.content.collect(upTo: 1 << 20))
    }

    @Test(
        "A cassette replays the responses of httpbin, and its file matches the HAR schema",
        arguments: TransportKind.allCases
    )
    func replays(kind: TransportKind) async throws {
        defer { try? FileManager.default.removeItem(at: file) }
        let requests = try CassetteOverHTTPBinTests.requests()
        let recording = try Cassette(file, mode: .record(over: kind.makeTransport()), secrets: allowingBinary)
        var live: [Response<Data>] = []
        for request in requests { live.append(try await exchange(request, over: recording)) }
        try recording.save()
        #expect(try HARSchema.violations(in: file) == "")

        let replaying = try Cassette(file, mode: .replay)
        for (request, live) in zip(requests, live) {
            let replayed = try await exchange(request, over: replaying)
            #expect(replayed.content == live.content, "\(request)")
            #expect(replayed.head.statusCode == live.head.statusCode)
            #expect(replayed.head.httpVersion == live.head.httpVersion)
            #expect(replayed.head.url == live.head.url)
            // The values of cookies are redacted.
            let cookies = live.head.header[values: .setCookie]
            #expect(replayed.head.header[values: .setCookie].count == cookies.count)
            #expect(
                replayed.head.header.filter { $0.name != .setCookie }
                    == live.head.header.filter { $0.name != .setCookie }
            )
        }
        #expect(replaying.unused == [])
    }

    @Test("A replayed cassette causes the same client errors as the live server", arguments: TransportKind.allCases)
    func errors(kind: TransportKind) async throws {
        defer { try? FileManager.default.removeItem(at: file) }
        let recording = try Cassette(file, mode: .record(over: kind.makeTransport()))
        let live = try await failures(over: recording)
        try recording.save()
        let replayed = try await failures(over: Cassette(file, mode: .replay))
        #expect(live.map(\.code) == [.status, .decoding, .status])
        #expect(replayed.map(\.code) == live.map(\.code))
        #expect(replayed.map(\.head) == live.map(\.head))
        #expect(replayed.map(\.data) == live.map(\.data))
        #expect(replayed.map(\.description) == live.map(\.description))
    }

    private func failures(over transport: Cassette) async throws -> [ResponseError] {
        var failures: [ResponseError] = []
        for path in ["/status/404", "/relative-redirect/2", "/bearer"] {
            let request = try HTTPBin.api().get(json: [Int].self, from: Endpoint(path: path))
            let result = await Client(transport: transport).result(of: request)
            if case .failure(let error) = result { failures.append(try #require(error as? ResponseError)) }
        }
        return failures
    }

    @Test(
        "The HAR schema rejects invalid files",
        arguments: [
            ("\"_encoding\"", "\"encoding\""), ("\"cache\"", "\"_cache\""), ("\"1.2\"", "\"1.3\""),
            ("\"send\" : 0", "\"send\" : -1"), ("\"status\" : 200", "\"status\" : \"200\""),
        ]
    )
    func schema(part: String, replacement: String) async throws {
        defer { try? FileManager.default.removeItem(at: file) }
        let stub = StubTransport { try .stub(200, for: $0) }
        let recording = try Cassette(file, mode: .record(over: stub), secrets: allowingBinary)
        let request = try HTTPBin.api().post(.raw(data: Data([0, 255])), to: "/")
        try await Client(transport: recording).send(request)
        try recording.save()
        #expect(try HARSchema.violations(in: file) == "")
        let text = try String(contentsOf: file, encoding: .utf8)
        try #require(text.contains(part), "\(text)")
        try Data(text.replacingOccurrences(of: part, with: replacement).utf8).write(to: file)
        #expect(try HARSchema.violations(in: file) != "")
    }
}
