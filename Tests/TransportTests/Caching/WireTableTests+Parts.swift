extension WireTableTests {
    /// The status, the lifetime and the tag of a part.
    private static let part = #"206|Cache-Control: max-age=60|ETag: "a"|Content-Range: bytes "#

    /// Ranges, and parts of bodies.
    static let parts = [
        WireRow(
            "RFC 9110 §14.2: a whole response answers a range, and several ranges with everything",
            .init(
                "GET|Range: bytes=1-2",
                "200|Cache-Control: max-age=60||abcd",
                "miss 200 abcd < GET Range: bytes=1-2"
            ),
            .init("GET|Range: bytes=1-2", "hit 206 bc"),
            .init("GET|Range: bytes=-1", "hit 206 d"),
            .init("GET|Range: bytes=2-", "hit 206 cd"),
            .init("GET|Range: bytes=0-0,2-2", "hit 200 abcd")
        ),
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
            "RFC 9111 §3.3: a part answers the ranges within it",
            .init("GET|Range: bytes=-3", part + "3-5/6||def", "miss 206 def < GET Range: bytes=-3"),
            .init("GET|Range: bytes=-3", "hit 206 def"),
            .init("GET|Range: bytes=-1", "hit 206 f"),
            .init("GET|Range: bytes=5-", "hit 206 f"),
            .init("GET|Range: bytes=3-3", "hit 206 d"),
            .init("GET|Range: bytes=2-3", "500", "miss 500  < GET Range: bytes=2-3"),
            .init("GET|Range: bytes=-4", "500", "miss 500  < GET Range: bytes=-4")
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
            "RFC 9110 §14.4: a part whose Content-Length contradicts its Content-Range isn't stored",
            .init("GET|Range: bytes=-5", part + "4-9/10||45678", "miss 206 45678 < GET Range: bytes=-5"),
            .init("GET|Range: bytes=-5", "500", "miss 500  < GET Range: bytes=-5")
        ),
        WireRow(
            "RFC 9110 §14.4: a 200 that contains the requested part isn't stored, and its rest is requested again",
            .init(
                "GET|Range: bytes=2-",
                #"200|Cache-Control: max-age=60|ETag: "a"|Content-Range: bytes 2-3/4||cd"#,
                "miss 200 cd < GET Range: bytes=2-"
            ),
            .init("GET|Range: bytes=0-1", part + "0-1/4||ab", "miss 206 ab < GET Range: bytes=0-1"),
            .init(
                "GET",
                #"200|Cache-Control: max-age=60|ETag: "a"|Content-Range: bytes 2-3/4||cd"#,
                #"miss 200 cd < GET Range: bytes=2- If-Range: "a" < GET"#
            )
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
            "RFC 9111 §3.4: the rest of a part is requested, and another version instead of it",
            .init("GET|Range: bytes=0-1", part + "0-1/4||ab", "miss 206 ab < GET Range: bytes=0-1"),
            .init("GET", part + "2-3/4||cd", #"revalidated 200 abcd < GET Range: bytes=2- If-Range: "a""#),
            .init("GET", "hit 200 abcd"),
            .init("GET /b|Range: bytes=0-1", part + "0-1/4||ab", "miss 206 ab < GET /b Range: bytes=0-1"),
            .init(
                "GET /b",
                "200|Cache-Control: max-age=60||ABCD",
                #"miss 200 ABCD < GET /b Range: bytes=2- If-Range: "a""#
            ),
            .init("GET /b", "hit 200 ABCD")
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
        WireRow(
            "RFC 9110 §14.4, §15.5.17: several parts, unknown units and 416 aren't stored",
            .init(
                "GET|Range: bytes=0-0,2-2",
                "206|Cache-Control: max-age=60|Content-Type: multipart/byteranges; boundary=x||--x",
                "miss 206 --x < GET Range: bytes=0-0,2-2"
            ),
            .init(
                "GET|Range: lines=0-0",
                "206|Cache-Control: max-age=60|Content-Range: lines 0-0/2||x",
                "miss 206 x < GET Range: lines=0-0"
            ),
            .init("GET|Range: lines=0-0", "500", "miss 500  < GET Range: lines=0-0"),
            .init(
                "GET|Range: bytes=9-",
                "416|Cache-Control: max-age=60|Content-Range: bytes */4",
                "miss 416  < GET Range: bytes=9-"
            ),
            .init("GET", "200||abcd", "miss 200 abcd < GET")
        ),
    ]
}
