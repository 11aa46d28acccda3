import Foundation
import Requests
import RequestsCache
import RequestsClient
import Testing

@Suite("Tables of a cache over libcurl", .timeLimit(.minutes(5)))
struct WireTableTests {
    @Test(
        "RFC 9111, RFC 9110: a private cache reuses what it may, over connections that stay open",
        arguments: reuse + validation + parts
    )
    func row(_ row: WireRow) async throws {
        let bench = try WireBench()
        for step in row.steps { #expect(try await bench.result(of: step).text == step.result, "\(step.request)") }
    }

    /// What is stored, and which requests it answers.
    static let reuse = [
        WireRow(
            "RFC 9111 §4: a fresh response is reused",
            .init("GET", "200|Cache-Control: max-age=60||a", "miss 200 a < GET"),
            .init("+59 GET", "hit 200 a"),
            .init("HEAD", "hit 200 "),
            .init("+1 GET", "200||b", "miss 200 b < GET")
        ),
        WireRow(
            "RFC 9111 §2: the query belongs to the URL",
            .init("GET /a?b=1", "200|Cache-Control: max-age=60||1", "miss 200 1 < GET"),
            .init("GET /a?b=2", "200||2", "miss 200 2 < GET"),
            .init("GET /a?b=1", "hit 200 1")
        ),
        WireRow(
            "RFC 9110 §15.2: informational responses aren't stored",
            .init(
                "GET",
                #"103|Cache-Control: max-age=60|ETag: "e"&102&200|ETag: "f"||a"#,
                "miss 200 a < GET"
            ),
            .init("GET", #"304|ETag: "f""#, #"revalidated 200 a < GET If-None-Match: "f""#)
        ),
        WireRow(
            "RFC 9110 §6.5.1: trailers have no effect on the cache",
            .init(
                "GET",
                "599|Transfer-Encoding: chunked||1\r\na\r\n0\r\nCache-Control: max-age=60\r\n\r\n",
                "miss 599 a < GET"
            ),
            .init(
                "GET",
                "200|Cache-Control: max-age=60|Transfer-Encoding: chunked||1\r\nb\r\n0\r\nCache-Control: no-store\r\n\r\n",
                "miss 200 b < GET"
            ),
            .init("GET", "hit 200 b")
        ),
        WireRow(
            "RFC 9110 §8.4: a body with an unknown encoding is stored as it is",
            .init("GET", "200|Cache-Control: max-age=60|Content-Encoding: a b||x", "miss 200 x < GET"),
            .init("GET", "hit 200 x")
        ),
        WireRow(
            "RFC 9110 §8.4: a body that can't be decoded isn't stored",
            .init("GET", "200|Cache-Control: max-age=60|Content-Encoding: gzip||x", "decoding < GET"),
            .init("GET", "200||a", "miss 200 a < GET")
        ),
        WireRow(
            "RFC 9111 §5.2: empty fields and tabs",
            .init("GET", "200|Cache-Control:|Last-Modified: {-999}||a", "miss 200 a < GET"),
            .init("GET", "hit 200 a"),
            .init("GET /b", "200|Cache-Control:\tpublic\t,\tmax-age=60||b", "miss 200 b < GET /b"),
            .init("GET /b", "hit 200 b"),
            .init("GET /c", "200|Cache-Control: max-age=1|ETag:||c", "miss 200 c < GET /c"),
            .init("+1 GET /c", "200||d", "miss 200 d < GET /c")
        ),
        WireRow(
            "RFC 9111 §5.1: the first element of Age counts, if it is a number",
            .init("GET", "200|Cache-Control: max-age=60|Age: 7200 x||a", "miss 200 a < GET"),
            .init("GET", "hit 200 a"),
            .init("GET /b", "200|Cache-Control: max-age=60|Age: 59, 0||b", "miss 200 b < GET /b"),
            .init("GET /b", "hit 200 b"),
            .init("+1 GET /b", "200||c", "miss 200 c < GET /b")
        ),
        WireRow(
            "RFC 9111 §4.2.3, §5.3: dates of a server whose clock is fast or slow",
            .init("GET", "200|Date: {+600}|Expires: {+660}||a", "miss 200 a < GET"),
            .init("+59 GET", "hit 200 a"),
            .init("GET /b", "200|Date: {-600}|Expires: {-540}||b", "miss 200 b < GET /b"),
            .init("GET /b", "200||c", "miss 200 c < GET /b")
        ),
        WireRow(
            "RFC 9110 §9.3.3: a response to POST answers a later GET",
            .init("POST /a x", "200|Cache-Control: max-age=60|Content-Location: /a||p", "miss 200 p < POST"),
            .init("GET", "hit 200 p"),
            .init("POST /a x", "200|Cache-Control: max-age=60||q", "miss 200 q < POST"),
            .init("GET", "200||g", "miss 200 g < GET")
        ),
        WireRow(
            "RFC 9110 §9.3.1, draft QUERY: a request with a body is neither answered nor stored",
            .init("GET /a x", "200|Cache-Control: max-age=60||a", "miss 200 a < GET"),
            .init("QUERY /a x", "200|Cache-Control: max-age=60||b", "miss 200 b < QUERY"),
            .init("GET", "200|Cache-Control: max-age=60||c", "miss 200 c < GET"),
            .init("GET /a x", "200||d", "miss 200 d < GET"),
            .init("GET", "hit 200 c")
        ),
        WireRow(
            "RFC 9111 §4.4: an unsafe request invalidates its URL and Location, unless it certainly failed",
            .init("GET", "200|Cache-Control: max-age=60||a", "miss 200 a < GET"),
            .init("GET /b", "200|Cache-Control: max-age=60||b", "miss 200 b < GET /b"),
            .init("PUT /a x", "500", "miss 500  < PUT"),
            .init("GET", "hit 200 a"),
            .init("POST /a x", "", "closed < POST"),
            .init("GET", "200|Cache-Control: max-age=60||a", "miss 200 a < GET"),
            .init("GET", "hit 200 a"),
            .init("PUT /a x", "201|Location: /b", "miss 201  < PUT"),
            .init("GET", "200||c", "miss 200 c < GET"),
            .init("GET /b", "200||d", "miss 200 d < GET /b")
        ),
        WireRow(
            "RFC 9111 §4.1: Vary on several fields, and on a field that only the transport knows",
            .init("GET", "200|Cache-Control: max-age=60|Vary: User-Agent||x", "miss 200 x < GET"),
            .init(
                "GET|B: 2|A: 1|A: 3",
                "200|Cache-Control: max-age=60|Vary: A, Host|Vary: B||x",
                "miss 200 x < GET"
            ),
            .init("GET|A: 1,3|B: 2", "hit 200 x"),
            .init("GET|A: 1|B: 2", "200|Vary: A|Vary: *", "miss 200  < GET"),
            .init("GET|A: 1|B: 2", "200||y", "miss 200 y < GET")
        ),
        WireRow(
            "RFC 9111 §3.5: a private cache stores responses to Authorization, for this user",
            .init("GET|Authorization: Basic eA==", "200|Cache-Control: max-age=60||x", "miss 200 x < GET"),
            .init("GET|Authorization: Basic eA==", "hit 200 x"),
            .init("GET", "200||y", "miss 200 y < GET")
        ),
        WireRow(
            "RFC 9111 §5.2.1.7: only-if-cached never sends a request",
            .init("GET|Cache-Control: only-if-cached", "miss 504 "),
            .init("GET", "200|Cache-Control: max-age=1||a", "miss 200 a < GET"),
            .init("+9 GET|Cache-Control: only-if-cached", "miss 504 "),
            .init("GET|Cache-Control: only-if-cached, max-stale", "stale 200 a")
        ),
    ]

    @Test(
        "RFC 9110 §15.4: a redirect with a lifetime is reused, and followed again without it",
        arguments: [301, 302, 303, 307, 308]
    )
    func redirects(status: Int) async throws {
        let bench = try WireBench { $0.redirects = .never }
        let step = WireRow.Step(
            "GET",
            "\(status)|Cache-Control: max-age=60|Location: /b||x",
            "miss \(status) x < GET"
        )
        #expect(try await bench.result(of: step).text == step.result)
        #expect(try await bench.result(of: .init("GET", "")).text == "hit \(status) x")
        let short = WireRow.Step("GET /c", "\(status)|Location: /b||x", "miss \(status) x < GET /c")
        for _ in 0..<2 { #expect(try await bench.result(of: short).text == short.result) }
    }
}
