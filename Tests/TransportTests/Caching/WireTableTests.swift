import RequestsCache
import RequestsClient
import Testing

/// What a stub can't send, or a transport can change. The rules have their tables in the tests of the cache itself.
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
    ]

    /// Which conditions are sent, and what a 304 or a failure does to the stored response.
    static let validation = [
        WireRow(
            "RFC 9111 §4.3.1: the caller's conditions are sent if nothing is stored",
            .init(#"GET|If-None-Match: "a""#, #"304|ETag: "a""#, #"miss 304  < GET If-None-Match: "a""#),
            .init(
                #"GET|If-None-Match: "a""#,
                #"200|Cache-Control: max-age=60|ETag: "b"||x"#,
                #"miss 200 x < GET If-None-Match: "a""#
            ),
            .init("GET", "hit 200 x"),
            .init(#"GET|If-None-Match: "b""#, "hit 304 ")
        ),
        WireRow(
            "RFC 9111 §4.3.4: a 304 without validators about the caller's date, which is the stored one",
            .init(
                "GET",
                "200|Cache-Control: max-age=1|Last-Modified: Thu, 18 Aug 2022 02:01:18 GMT||x",
                "miss 200 x < GET"
            ),
            .init(
                "+9 GET|If-Modified-Since: Thu, 18 Aug 2022 02:01:18 GMT",
                "304|Cache-Control: max-age=60",
                "revalidated 304  < GET If-Modified-Since: Thu, 18 Aug 2022 02:01:18 GMT"
            ),
            .init("GET", "hit 200 x")
        ),
    ]

    /// The status, the lifetime and the tag of a part.
    private static let part = #"206|Cache-Control: max-age=60|ETag: "a"|Content-Range: bytes "#

    /// Ranges, and parts of bodies.
    static let parts = [
        WireRow(
            "RFC 9111 §4.3.4: a 304 or a newer part for a range of a stale response",
            .init("GET", #"200|Cache-Control: max-age=1|ETag: "a"||abcd"#, "miss 200 abcd < GET"),
            .init(
                "+9 GET|Range: bytes=1-2",
                #"304|Cache-Control: max-age=1|ETag: "a""#,
                #"revalidated 206 bc < GET If-None-Match: "a" Range: bytes=1-2"#
            ),
            .init("GET", "hit 200 abcd"),
            .init(
                "+9 GET|Range: bytes=1-2",
                #"206|Cache-Control: max-age=60|ETag: "b"|Content-Range: bytes 1-2/4||BC"#,
                #"miss 206 BC < GET If-None-Match: "a" Range: bytes=1-2"#
            ),
            .init("GET", "200||ABCD", "miss 200 ABCD < GET")
        ),
        WireRow(
            "RFC 9111 §3.3: a part of a body of unknown length answers the same request",
            .init("GET|Range: bytes=4-", part + "4-5/*||ef", "miss 206 ef < GET Range: bytes=4-"),
            .init("GET|Range: bytes=4-", "hit 206 ef"),
            .init("GET|Range: bytes=4-5", "hit 206 ef"),
            .init("GET|Range: bytes=5-", "500", "miss 500  < GET Range: bytes=5-")
        ),
        WireRow(
            "RFC 9111 §3.3: a part that is shorter than its Content-Range is stored as what it is",
            .init(
                "GET|Range: bytes=-5",
                part + "4-9/10|Transfer-Encoding: chunked||5\r\n45678\r\n0\r\n\r\n",
                "miss 206 45678 < GET Range: bytes=-5"
            ),
            .init("GET|Range: bytes=-5", "hit 206 45678"),
            .init("GET|Range: bytes=6-8", "hit 206 678"),
            .init("GET|Range: bytes=6-", "500", "miss 500  < GET Range: bytes=6-")
        ),
        WireRow(
            "RFC 9111 §3.3: a part that is longer than its Content-Range isn't stored",
            .init("GET|Range: bytes=4-5", part + "4-5/10||456", "miss 206 456 < GET Range: bytes=4-5"),
            .init("GET|Range: bytes=4-5", "500", "miss 500  < GET Range: bytes=4-5")
        ),
        WireRow(
            "RFC 9111 §3.4: a part in chunks that is everything is a whole response",
            .init(
                "GET|Range: bytes=0-",
                part + "0-3/4|Transfer-Encoding: chunked||4\r\nabcd\r\n0\r\n\r\n",
                "miss 206 abcd < GET Range: bytes=0-"
            ),
            .init("GET", "hit 200 abcd"),
            .init("GET|Range: bytes=2-", "hit 206 cd"),
            .init("HEAD", "hit 200 ")
        ),
        WireRow(
            "RFC 9111 §3.4: a rest that breaks off leaves the part",
            .init("GET|Range: bytes=0-1", part + "0-1/4||ab", "miss 206 ab < GET Range: bytes=0-1"),
            .init(
                "GET",
                part + "2-3/4|Connection: close||c",
                #"truncated < GET Range: bytes=2- If-Range: "a""#
            ),
            .init("GET|Range: bytes=0-1", "hit 206 ab")
        ),
        WireRow(
            "RFC 9110 §13.1.5: If-Range",
            .init(
                #"GET|Range: bytes=0-1|If-Range: "a""#,
                part + "0-1/4||ab",
                #"miss 206 ab < GET Range: bytes=0-1 If-Range: "a""#
            ),
            .init(#"GET|Range: bytes=0-1|If-Range: "a""#, "hit 206 ab"),
            .init(
                #"GET|Range: bytes=0-1|If-Range: "b""#,
                "200||ABCD",
                #"miss 200 ABCD < GET Range: bytes=0-1 If-Range: "b""#
            )
        ),
    ]
}
