import Foundation
import RequestsTesting
import Testing

@Suite("Cassette files", .timeLimit(.minutes(5)))
final class CassetteArchiveTests {
    private let file = CassetteFile()

    deinit { file.remove() }

    /// The expected type of a JSON value.
    private indirect enum Shape: Sendable {
        case string
        case boolean
        case integer
        case duration
        case object([String: Shape], optional: [String: Shape] = [:])
        case list(Shape)
    }

    private static let pair = Shape.object(["name": .string, "value": .string])

    /// The required members of HAR 1.2 and the optional members that cassettes write.
    private static let archive = Shape.object([
        "log": .object([
            "version": .string,
            "creator": .object(["name": .string, "version": .string]),
            "entries": .list(
                .object([
                    "startedDateTime": .string,
                    "time": .duration,
                    "request": .object(
                        [
                            "method": .string, "url": .string, "httpVersion": .string, "cookies": .list(pair),
                            "headers": .list(pair), "queryString": .list(pair), "headersSize": .integer,
                            "bodySize": .integer,
                        ],
                        optional: [
                            "postData": .object(
                                ["mimeType": .string, "text": .string],
                                optional: ["_encoding": .string]
                            )
                        ]
                    ),
                    "response": .object([
                        "status": .integer, "statusText": .string, "httpVersion": .string, "cookies": .list(pair),
                        "headers": .list(pair),
                        "content": .object(
                            ["size": .integer, "mimeType": .string, "text": .string],
                            optional: ["encoding": .string, "_isCoded": .boolean]
                        ),
                        "redirectURL": .string, "headersSize": .integer, "bodySize": .integer,
                    ]),
                    "cache": .object([:]),
                    "timings": .object(["send": .duration, "wait": .duration, "receive": .duration]),
                ])
            ),
        ])
    ])

    /// Returns the paths of the values that don't have the expected shape.
    private func faults(of value: Any?, _ shape: Shape, at path: String) -> [String] {
        switch shape {
        case .string: return value is String ? [] : [path]
        case .boolean: return value is Bool ? [] : [path]
        case .integer: return value is Int ? [] : [path]
        case .duration: return (value as? Double).map { $0 >= 0 } == true ? [] : [path]
        case .list(let element):
            guard let list = value as? [Any] else { return [path] }
            return list.enumerated().flatMap { faults(of: $1, element, at: "\(path).\($0)") }
        case .object(let required, let optional):
            guard let object = value as? [String: Any] else { return [path] }
            let known = required.merging(optional) { $1 }
            return required.keys.filter { object[$0] == nil }.map { "\(path).\($0)" }
                + object.flatMap { key, value in
                    known[key].map { faults(of: value, $0, at: "\(path).\(key)") } ?? ["\(path).\(key)"]
                }
        }
    }

    private func record() async throws {
        let header: Header = [
            .contentType(.json), Field(name: .setCookie, value: "a=1; Path=/"), Field(name: .location, value: "/next"),
        ]
        let transport = StubTransport(script: [
            .reply(302, header: header, data: Data("{}".utf8)), .reply(200, data: Data([0xFF])),
        ])
        try await file.record(over: transport) { cassette in
            let sent: Header = [.contentType(.urlEncodedForm), Field(name: .cookie, value: "a=1; b=2")]
            let url = "https://h/a?page=2&q=a%20b&flag"
            _ = try await cassette.exchange(.post, url, header: sent, body: .data(Data("x=1".utf8)))
            _ = try await cassette.exchange(.post, "https://h/b", body: .data(Data([0xFE])))
        }
    }

    @Test("a cassette is a valid HAR 1.2 archive")
    func structure() async throws {
        try await record()
        let archive = try JSONSerialization.jsonObject(with: Data(contentsOf: file.url))
        #expect(faults(of: archive, CassetteArchiveTests.archive, at: "") == [])
        #expect(try file.log?["version"] as? String == "1.2")
    }

    @Test("an entry contains the request, the response and their times")
    func content() async throws {
        try await record()
        let log = try #require(try file.log)
        let entry = try #require((log["entries"] as? [[String: Any]])?.first)
        let request = try #require(entry["request"] as? [String: Any])
        let response = try #require(entry["response"] as? [String: Any])
        #expect(entry["startedDateTime"] as? String == "2023-11-14T22:13:20.250Z")
        #expect(entry["time"] as? Double == 500)
        #expect(entry["timings"] as? [String: Double] == ["send": 0, "wait": 250, "receive": 250])
        #expect(
            request["queryString"] as? [[String: String]] == [
                ["name": "page", "value": "2"], ["name": "q", "value": "a b"], ["name": "flag", "value": ""],
            ]
        )
        #expect(request["bodySize"] as? Int == 3)
        #expect((request["cookies"] as? [[String: String]])?.compactMap { $0["name"] } == ["a", "b"])
        #expect((response["cookies"] as? [[String: String]])?.compactMap { $0["name"] } == ["a"])
        #expect(response["redirectURL"] as? String == "/next")
    }

    @Test("an archive written by a browser is replayed without pseudo-fields and content encodings")
    func browser() async throws {
        let content = #"{"size": 2, "mimeType": "text/plain", "text": "b2\r\ns=", "encoding": "base64"}"#
        let (head, body) = try await replayed(content)
        #expect(head.header == [Field(name: "x", value: "y")])
        #expect(head.httpVersion == .http2)
        #expect(body == "ok")
    }

    @Test(
        "replaying a response without a recorded body throws",
        arguments: [
            #"{"size": 2, "mimeType": "x"}"#, #"{"size": 2, "mimeType": "x", "text": "b", "encoding": "base64"}"#,
        ]
    )
    func missingBody(content: String) async throws {
        let error = await #expect(throws: TransportError.self) { _ = try await replayed(content) }
        #expect(error?.code == .unmatched)
        #expect(error?.message.hasPrefix("the archive has no response body for GET https://h/") == true)
    }

    private func replayed(_ content: String) async throws -> (ResponseHead, String) {
        let entry = #"""
            {"startedDateTime": "2024-01-01T00:00:00Z", "time": 1, "cache": {}, "_priority": "High",
             "timings": {"blocked": -1, "dns": -1, "connect": -1, "send": 0, "wait": 1, "receive": 0, "ssl": -1},
             "request": {"method": "GET", "url": "https://h/?token=theirs#top", "httpVersion": "h2", "cookies": [],
                "headers": [{"name": ":authority", "value": "h"}], "queryString": [], "headersSize": -1, "bodySize": 0},
             "response": {"status": 200, "statusText": "", "httpVersion": "HTTP/2", "cookies": [{"name": "a",
                "value": "", "expires": "2030-01-01T00:00:00Z"}], "redirectURL": "", "headersSize": -1, "bodySize": -1,
                "headers": [{"name": ":status", "value": "200"}, {"name": "content-encoding", "value": "gzip"},
                    {"name": "content-length", "value": "20"}, {"name": "x", "value": "y"}],
                "content": \#(content)}}
            """#
        let creator = #"{"name": "n", "version": "1"}"#
        let log = #"{"log": {"version": "1.2", "creator": \#(creator), "pages": [], "entries": [\#(entry)]}}"#
        let folder = file.url.deletingLastPathComponent()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(log.utf8).write(to: file.url)
        return try await Cassette(file.url, mode: .replay).exchange(.get, "https://h/?token=mine")
    }
}
