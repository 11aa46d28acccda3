import Foundation
import Requests
import RequestsClient
import RequestsConformance
import RequestsTesting
import Testing

/// Tests requests and responses against another HTTP implementation.
@Suite(
    "Exchanges with httpbin",
    .timeLimit(.minutes(5)),
    .enabled(if: HTTPBin.baseURL != nil, HTTPBin.absence)
)
struct HTTPBinTests {
    private func client(_ kind: TransportKind) throws -> Client {
        Client(transport: try kind.makeTransport())
    }

    private func send(
        _ body: BodyProvider,
        _ kind: TransportKind,
        to endpoint: Endpoint = "/anything",
        query: Query = [:]
    ) async throws -> HTTPBin.Echo {
        let request = try HTTPBin.api().post(body, to: endpoint)
            .with(query: query)
            .with(header: [Field(name: "X-Probe", value: "a;b")])
            .receiving(.json(HTTPBin.Echo.self))
        return try await client(kind).send(request)
    }

    @Test("httpbin receives the method, query, header fields and JSON unchanged", arguments: TransportKind.allCases)
    func json(kind: TransportKind) async throws {
        let query: Query = ["q": "1+1", "e": "é", "flag": ""]
        let echo = try await send(.json(encoded: ["born": 1815]), kind, to: "/anything/\("a;b")/é", query: query)
        #expect(echo.method == "POST")
        #expect(echo.url.contains("/anything/a;b/é?"))
        #expect(echo.args == ["q": "1+1", "e": "é", "flag": ""])
        #expect(echo.headers["X-Probe"] == "a;b")
        #expect(echo.headers["Content-Type"] == "application/json")
        #expect(echo.json == ["born": 1815])
        #expect(echo.data == #"{"born":1815}"#)
    }

    @Test("httpbin parses a form correctly", arguments: TransportKind.allCases)
    func form(kind: TransportKind) async throws {
        let echo = try await send(.form(["name": "Ada Lovelace", "sum": "1+1=2&3", "é": "☃", "none": ""]), kind)
        #expect(echo.form == ["name": "Ada Lovelace", "sum": "1+1=2&3", "é": "☃", "none": ""])
        #expect(echo.data.isEmpty)
    }

    @Test("httpbin parses the fields and files of a multipart body", arguments: TransportKind.allCases)
    func multipart(kind: TransportKind) async throws {
        let parts: Multipart = [
            .field("title", "Sommer ☀\r\n--x"), .data("note", Data("in memory".utf8), filename: "a \"b\".txt"),
        ]
        let echo = try await send(.multipart(parts), kind)
        #expect(echo.form == ["title": "Sommer ☀\r\n--x"])
        #expect(echo.files == ["note": "in memory"])
    }

    @Test(
        "httpbin receives a stream of unknown length, unless the transport rejects it",
        arguments: TransportKind.allCases
    )
    func stream(kind: TransportKind) async throws {
        let stream = BodyProvider { header in
            header.set(.contentType(.plainText))
            return .oneShot(Data("piece by piece".utf8))
        }
        guard try kind.makeTransport().capabilities.contains(.streamedRequestBodies) else {
            let error = await #expect(throws: TransportError.self) { try await send(stream, kind) }
            #expect(error?.code == .unsupported)
            return
        }
        let echo = try await send(stream, kind)
        #expect(echo.data == "piece by piece")
        #expect(echo.headers["Transfer-Encoding"] == "chunked")
    }

    @Test(
        "Compressed responses of httpbin are decoded",
        arguments: TransportKind.allCases,
        ["gzip": "gzipped", "deflate": "deflated", "brotli": "brotli"]
    )
    func encodings(kind: TransportKind, encoding: (key: String, value: String)) async throws {
        let request = try HTTPBin.api().get(.data, from: "/\(encoding.key)")
        let response = try await client(kind).response(for: request)
        let object = try JSONSerialization.jsonObject(with: response.content) as? [String: Any]
        #expect(object?[encoding.value] as? Bool == true)
        #expect(response.head.header[.contentEncoding] == nil)
    }

    @Test("JSON lines of httpbin are decoded", arguments: TransportKind.allCases)
    func jsonLines(kind: TransportKind) async throws {
        struct Line: Decodable, Sendable { var id: Int }
        let response = try await client(kind).stream(HTTPBin.api().get(.data, from: "/stream/20"))
        var ids: [Int] = []
        for try await line in response.jsonLines(of: Line.self) { ids.append(line.id) }
        #expect(ids == Array(0..<20))
    }

    @Test("A body of 7-byte chunks and a slow body are complete", arguments: TransportKind.allCases)
    func pieces(kind: TransportKind) async throws {
        let client = try client(kind)
        let bytes = try await client.send(
            HTTPBin.api().get(.data, from: "/stream-bytes/20000").with(query: ["chunk_size": 7])
        )
        #expect(bytes.count == 20_000)
        let drip = try HTTPBin.api().get(.text, from: "/drip").with(query: ["numbytes": 9, "duration": 0.3])
        let slow = try await client.response(for: drip)
        #expect(slow.content == "*********")
        #expect(slow.head.header[.contentLength] == "9")
    }

    @Test("The idle timeout ends the wait for a late response", arguments: TransportKind.allCases)
    func late(kind: TransportKind) async throws {
        var configuration = Client.Configuration()
        configuration.timeouts.idle = .milliseconds(300)
        let client = Client(transport: try kind.makeTransport(), configuration: configuration)
        let error = await #expect(throws: TransportError.self) {
            try await client.send(HTTPBin.api().get(.data, from: "/delay/10"))
        }
        #expect(error?.code == .timedOut(.idle))
    }

    @Test("Conditional requests get the expected status codes", arguments: TransportKind.allCases)
    func conditional(kind: TransportKind) async throws {
        let client = try client(kind)
        func status(_ path: String, _ field: Field) async throws -> Int {
            let decoder = ResponseDecoder<Int>.reading { head, _ in head.statusCode }
                .validating(status: [200, 304, 412])
            let request = try HTTPBin.api().get(decoder, from: Endpoint(path: path)).with(header: [field])
            return try await client.send(request)
        }
        let (known, other): (Field.EntityTag, Field.EntityTag) = ("v1", "v2")
        #expect(try await status("/etag/v1", .ifNoneMatch(other, known)) == 304)
        #expect(try await status("/etag/v1", .ifNoneMatch(other)) == 200)
        #expect(try await status("/etag/v1", .ifMatch(other)) == 412)
        #expect(try await status("/cache", .ifModifiedSince(Date())) == 304)
    }

    @Test("Range requests get the requested part", arguments: TransportKind.allCases)
    func range(kind: TransportKind) async throws {
        let client = try client(kind)
        let request = try HTTPBin.api().get(.text, from: "/range/26")
        let middle = try await client.response(for: request.with(header: [.range(bytes: 3...7)]))
        #expect(middle.head.statusCode == 206)
        #expect(middle.head.header["Content-Range"] == "bytes 3-7/26")
        #expect(middle.content == "defgh")
        #expect(try await client.send(request.with(header: [.range(bytes: 20...)])) == "uvwxyz")
        #expect(try await client.send(request.with(header: [.range(lastBytes: 2)])) == "yz")
    }
}
