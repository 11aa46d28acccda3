import Foundation
import RequestsCache
import RequestsCurl
import RequestsTesting
import Synchronization
import Testing

/// What only a real transport shows: content encodings, framing, informational responses and closed connections.
@Suite("A cache over libcurl", .timeLimit(.minutes(5)))
struct WireTests {
    /// A client with a cache, and a server that sends one text after another, and closes the connection after each.
    private struct Bench {
        final class Log: Sendable {
            let requests = Mutex<[LoopbackServer.Request]>([])
            let date = Mutex(Date())
        }

        private let server: LoopbackServer
        private let log: Log
        let client: Client

        /// - Parameter replies: The texts. `{gzip}` stands for the encoded body. The last one is repeated.
        init(_ replies: String...) throws {
            let log = Log()
            self.log = log
            server = try LoopbackServer { connection in
                guard let request = try connection.readRequest() else { return }
                let number = log.requests.withLock { requests in
                    requests.append(request)
                    return requests.count
                }
                let text = WireTests.closing(replies[min(number, replies.count) - 1])
                let reply = text.components(separatedBy: "{gzip}")
                try connection.write(Array(reply[0].utf8) + (reply.count > 1 ? WireTests.gzip : []))
            }
            var configuration = Client.Configuration()
            var rules = HTTPCache.Rules()
            rules.servesStaleIfDisconnected = true
            configuration.cache = HTTPCache(.memory(bytes: 1 << 20), rules: rules)
            configuration.date = { log.date.withLock { $0 } }
            configuration.validation = .none
            client = Client(transport: CurlTransport.shared, configuration: configuration)
        }

        var requests: [LoopbackServer.Request] { log.requests.withLock { $0 } }

        func pass(_ seconds: Double) { log.date.withLock { $0 += seconds } }

        func send(
            _ method: HTTPMethod = .get,
            _ path: String = "/a",
            header: Header = []
        ) async throws -> (head: ResponseHead, text: String) {
            let url = try RequestURL("\(server.baseURL)\(path)")
            let response = try await client.response(for: PreparedRequest(method: method, url: url, header: header))
            return (response.head, String(decoding: response.content, as: UTF8.self))
        }
    }

    /// Adds `Connection: close` to the final response, because a client may send a request over a connection that it
    /// thinks is open.
    private static func closing(_ reply: String) -> String {
        guard let version = reply.range(of: "HTTP/1.1 ", options: .backwards) else { return reply }
        let final = reply[version.lowerBound...].components(separatedBy: "\r\n")
        let lines = [final[0], "Connection: close"] + final.dropFirst()
        return reply[..<version.lowerBound] + lines.joined(separator: "\r\n")
    }

    /// `compressed body`.
    private static let gzip: [UInt8] = [
        31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 75, 206, 207, 45, 40, 74, 45, 46, 78, 77, 81, 72, 202, 79, 169, 4, 0, 183,
        180, 251, 56, 15, 0, 0, 0,
    ]

    private static let fresh = "HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\n"
    private static let stale = "HTTP/1.1 200 OK\r\nCache-Control: max-age=1\r\nETag: \"a\"\r\n"

    @Test("RFC 9110 §8.4: a body that was decoded is stored decoded, without the fields of the encoded one")
    func decoded() async throws {
        let bench = try Bench(WireTests.fresh + "Content-Encoding: gzip\r\nContent-Length: 35\r\n\r\n{gzip}")
        for kind in [CacheStatus.Kind.miss, .hit] {
            let (head, text) = try await bench.send()
            #expect(text == "compressed body")
            #expect(head.header[.contentEncoding] == nil)
            #expect(head.header[.contentLength].map { $0 == "15" } ?? true)
            #expect(head.cacheStatus?.kind == kind)
        }
        #expect(bench.requests.count == 1)
    }

    @Test("RFC 9110 §14.2: a range of a decoded body is the server's to answer")
    func rangeOfDecoded() async throws {
        let bench = try Bench(
            WireTests.fresh + "ETag: \"a\"\r\nContent-Encoding: gzip\r\nContent-Length: 35\r\n\r\n{gzip}",
            "HTTP/1.1 206 Partial\r\nContent-Range: bytes 0-1/35\r\nContent-Length: 2\r\nETag: \"a\"\r\n\r\nxy"
        )
        _ = try await bench.send()
        let (head, text) = try await bench.send(header: [.range(bytes: 0...1)])
        #expect(head.statusCode == 206)
        #expect(text == "xy")
        #expect(bench.requests.count == 2)
        #expect(try await bench.send().text == "compressed body")
    }

    @Test("RFC 9111 §3.2: a 304 doesn't give a decoded body an encoding or a length again")
    func confirmedDecoded() async throws {
        let fields = "ETag: \"a\"\r\nContent-Encoding: gzip\r\nContent-Length: 35\r\n"
        let bench = try Bench(
            "HTTP/1.1 200 OK\r\nCache-Control: max-age=1\r\n\(fields)\r\n{gzip}",
            "HTTP/1.1 304 Not Modified\r\nCache-Control: max-age=60\r\n\(fields)\r\n"
        )
        _ = try await bench.send()
        bench.pass(10)
        for kind in [CacheStatus.Kind.revalidated, .hit] {
            let (head, text) = try await bench.send()
            #expect(head.statusCode == 200)
            #expect(text == "compressed body")
            #expect(head.header[.contentEncoding] == nil)
            #expect(head.header[.contentLength].map { $0 == "15" } ?? true)
            #expect(head.cacheStatus?.kind == kind)
        }
        #expect(bench.requests.last?.header[.ifNoneMatch] == "\"a\"")
    }

    @Test("RFC 9110 §12.5.3: Vary on the field that the transport adds selects the stored response")
    func encodingVaries() async throws {
        let bench = try Bench(WireTests.fresh + "Vary: Accept-Encoding\r\nContent-Length: 1\r\n\r\na")
        _ = try await bench.send()
        #expect(try await bench.send().head.cacheStatus?.kind == .hit)
        #expect(bench.requests.first?.header[.acceptEncoding] != nil)
    }

    @Test("RFC 9110 §15.2: informational responses are neither stored nor a part of the stored one")
    func informational() async throws {
        let bench = try Bench(
            "HTTP/1.1 103 Early Hints\r\nCache-Control: max-age=9\r\nX-Early: 1\r\n\r\n"
                + WireTests.fresh + "Content-Length: 1\r\n\r\na"
        )
        _ = try await bench.send()
        let (head, text) = try await bench.send()
        #expect(head.cacheStatus?.reason == "max-age=60")
        #expect(head.header["X-Early"] == nil)
        #expect(text == "a")
    }

    @Test(
        "RFC 9111 §3.3: a body that breaks off isn't stored",
        arguments: ["Content-Length: 9\r\n\r\nabc", "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"]
    )
    func brokenOff(body: String) async throws {
        let bench = try Bench(WireTests.fresh + body, WireTests.fresh + "Content-Length: 3\r\n\r\ndef")
        await #expect(throws: TransportError.self) { try await bench.send() }
        #expect(try await bench.send().text == "def")
        #expect(try await bench.send().head.cacheStatus?.kind == .hit)
        #expect(bench.requests.count == 2)
    }

    @Test(
        "RFC 9112 §6.3: a whole body is stored, however it is framed",
        arguments: [
            "Content-Length: 3\r\n\r\nabc", "\r\nabc",
            "Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n2\r\nbc\r\n0\r\nX-End: 1\r\n\r\n",
        ]
    )
    func framing(body: String) async throws {
        let bench = try Bench(WireTests.fresh + body)
        for _ in 0..<2 { #expect(try await bench.send().text == "abc") }
        #expect(bench.requests.count == 1)
    }

    @Test("RFC 9111 §5.1: fields of the connection aren't stored, and repeated ones keep their order")
    func fields() async throws {
        let bench = try Bench(
            "HTTP/1.1 200 OK\r\nCache-Control: public\r\nX-A: 1\r\ncache-control: max-age=60\r\nKeep-Alive: timeout=5\r\n"
                + "X-A: 2\r\nConnection: X-B, close\r\nX-B: 1\r\nAge: 20\r\nContent-Length: 0\r\n\r\n"
        )
        _ = try await bench.send()
        let (head, _) = try await bench.send()
        #expect(head.header[values: "X-A"] == ["1", "2"])
        #expect(head.header["X-B"] == nil && head.header["Keep-Alive"] == nil && head.header["Connection"] == nil)
        #expect(head.cacheStatus == CacheStatus(.hit, age: 20, reason: "max-age=60"))
        #expect(head.header[values: "Age"] == ["20"])
    }

    @Test("RFC 9111 §4.2.4: without the server a stale response is served, unless must-revalidate forbids it")
    func disconnected() async throws {
        let bench = try Bench(WireTests.stale + "Content-Length: 1\r\n\r\na", "")
        _ = try await bench.send()
        bench.pass(10)
        let (head, text) = try await bench.send()
        #expect(text == "a")
        #expect(head.cacheStatus == CacheStatus(.stale, age: 10, reason: "disconnected"))
        let strict = try Bench(
            "HTTP/1.1 200 OK\r\nCache-Control: max-age=1, must-revalidate\r\nContent-Length: 1\r\n\r\na",
            ""
        )
        _ = try await strict.send()
        strict.pass(10)
        await #expect(throws: TransportError.self) { try await strict.send() }
    }

    @Test("RFC 9110 §15.4: a stored redirect leads on without a request to its URL")
    func redirect() async throws {
        let bench = try Bench(
            "HTTP/1.1 301 Moved\r\nCache-Control: max-age=60\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nb"
        )
        for _ in 0..<2 { #expect(try await bench.send().text == "b") }
        #expect(bench.requests.map(\.path) == ["/a", "/b", "/b"])
    }

    @Test("RFC 9111 §3.4: a part is stored, and only the rest is requested for the whole")
    func completed() async throws {
        let part = "Cache-Control: max-age=60\r\nETag: \"a\"\r\n"
        let bench = try Bench(
            "HTTP/1.1 206 Partial\r\n\(part)Content-Range: bytes 0-2/6\r\nContent-Length: 3\r\n\r\nabc",
            "HTTP/1.1 206 Partial\r\n\(part)Content-Range: bytes 3-5/6\r\nContent-Length: 3\r\n\r\ndef"
        )
        #expect(try await bench.send(header: [.range(bytes: 0...2)]).text == "abc")
        #expect(try await bench.send(header: [.range(bytes: 1...2)]).text == "bc")
        let (head, text) = try await bench.send()
        #expect(head.statusCode == 200)
        #expect(text == "abcdef")
        #expect(head.header[.contentLength] == "6")
        #expect(bench.requests.count == 2)
        #expect(bench.requests.last?.header[.range] == "bytes=3-")
        #expect(try await bench.send(header: [.range(lastBytes: 2)]).text == "ef")
        #expect(bench.requests.count == 2)
    }

    @Test("RFC 9111 §4.3.5, §4.4: HEAD is answered from the store, and an unsafe method empties it")
    func otherMethods() async throws {
        let bench = try Bench(
            WireTests.fresh + "Content-Length: 3\r\n\r\nabc",
            "HTTP/1.1 204 No Content\r\n\r\n",
            WireTests.fresh + "Content-Length: 3\r\n\r\ndef"
        )
        _ = try await bench.send()
        let (head, text) = try await bench.send(.head)
        #expect(head.header[.contentLength] == "3")
        #expect(text.isEmpty)
        #expect(bench.requests.count == 1)
        _ = try await bench.send("M-SEARCH")
        #expect(try await bench.send().text == "def")
        #expect(bench.requests.map { "\($0.method)" } == ["GET", "M-SEARCH", "GET"])
    }
}
