extension WireTableTests {
    /// Which conditions are sent, and what a 304 or a failure does to the stored response.
    static let validation = [
        WireRow(
            "RFC 9111 §4.3.4: a 304 makes the stored response fresh, whatever length and encoding it states",
            .init("GET", #"200|Cache-Control: max-age=1|ETag: "a"||abc"#, "miss 200 abc < GET"),
            .init(
                "+9 GET",
                #"304|Cache-Control: max-age=60|ETag: "a"|Content-Length: 99|Content-Encoding: gzip"#,
                #"revalidated 200 abc < GET If-None-Match: "a""#
            ),
            .init("GET", "hit 200 abc")
        ),
        WireRow(
            "RFC 9111 §4.3.5: HEAD is sent with conditions, and freshens the response to GET",
            .init("GET", #"200|Cache-Control: max-age=1|ETag: "a"||abc"#, "miss 200 abc < GET"),
            .init(
                "+9 HEAD",
                #"304|Cache-Control: max-age=9|ETag: "a""#,
                #"revalidated 200  < HEAD If-None-Match: "a""#
            ),
            .init("GET", "hit 200 abc"),
            .init(
                "+9 HEAD",
                #"200|Cache-Control: max-age=9|ETag: "a"|Content-Length: 3"#,
                #"miss 200  < HEAD If-None-Match: "a""#
            ),
            .init("GET", "hit 200 abc"),
            .init("HEAD|Cache-Control: no-cache", "410", #"miss 410  < HEAD If-None-Match: "a""#),
            .init("GET", "200||n", "miss 200 n < GET")
        ),
        WireRow(
            "RFC 9111 §4.3.2: a fresh response answers the caller's conditions",
            .init(
                "GET",
                #"200|Cache-Control: max-age=60|ETag: "a"|Last-Modified: Thu, 18 Aug 2022 02:01:18 GMT||x"#,
                "miss 200 x < GET"
            ),
            .init(#"GET|If-None-Match: W/"a""#, "hit 304 "),
            .init(#"HEAD|If-None-Match: "a""#, "hit 304 "),
            .init(#"GET|If-None-Match: "b"|If-Modified-Since: {+0}"#, "hit 200 x"),
            .init("GET|If-Modified-Since: Thursday, 18-Aug-22 02:01:18 GMT", "hit 304 "),
            .init("GET|If-Modified-Since: Thu Aug 18 02:01:18 2022", "hit 304 "),
            .init("GET|If-Modified-Since: Thu, 18 Aug 2022 02:01:17 GMT", "hit 200 x")
        ),
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
            "RFC 9111 §4.3.4: a 304 about the caller's tag and the stored one",
            .init("GET", #"200|Cache-Control: max-age=1|ETag: "a"||x"#, "miss 200 x < GET"),
            .init(
                #"+9 GET|If-None-Match: "a""#,
                #"304|Cache-Control: max-age=1|ETag: "a""#,
                #"revalidated 304  < GET If-None-Match: "a""#
            ),
            .init("GET", "hit 200 x"),
            .init(
                #"+9 GET|If-None-Match: "b""#,
                #"304|Cache-Control: max-age=1|ETag: "b""#,
                #"miss 304  < GET If-None-Match: "b", "a""#
            ),
            .init("GET", #"304|ETag: "a""#, #"revalidated 200 x < GET If-None-Match: "a""#)
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
        WireRow(
            "RFC 9111 §4.1: the server selects a variant by its tag",
            .init("GET|A: 1", #"200|Cache-Control: max-age=60|Vary: A|ETag: "1"||one"#, "miss 200 one < GET"),
            .init(
                "GET|A: 2",
                #"200|Cache-Control: max-age=60|Vary: A|ETag: "2"||two"#,
                #"miss 200 two < GET If-None-Match: "1""#
            ),
            .init("GET|A: 3", #"304|Vary: A|ETag: "2""#, #"revalidated 200 two < GET If-None-Match: "1", "2""#),
            .init("GET|A: 3", "hit 200 two"),
            .init("GET|A: 1", "hit 200 one")
        ),
        WireRow(
            "RFC 9111 §4.3.3: a failure without stale-if-error is the answer, and changes nothing",
            .init("GET", #"200|Cache-Control: max-age=1|ETag: "a"||x"#, "miss 200 x < GET"),
            .init("+9 GET", "500||e", #"miss 500 e < GET If-None-Match: "a""#),
            .init(
                "GET",
                #"304|Cache-Control: max-age=60|ETag: "a""#,
                #"revalidated 200 x < GET If-None-Match: "a""#
            ),
            .init("GET", "hit 200 x")
        ),
        WireRow(
            "RFC 5861 §4: stale-if-error",
            .init("GET", "200|Cache-Control: max-age=1, stale-if-error=60||x", "miss 200 x < GET"),
            .init("+9 GET", "503||e", "stale 200 x < GET"),
            .init("+99 GET", "503||e", "miss 503 e < GET")
        ),
        // libcurl sends a request again if a connection that it reuses ends before the response.
        WireRow(
            "RFC 9111 §4.2.4: without a response a stale one is served, unless must-revalidate forbids it",
            .init("GET", "200|Cache-Control: max-age=1||x", "miss 200 x < GET"),
            .init("+9 GET", "", "stale 200 x < GET < GET"),
            .init("GET /b", "200|Cache-Control: max-age=1, must-revalidate||x", "miss 200 x < GET /b"),
            .init("+9 GET /b", "", "closed < GET /b < GET /b")
        ),
        WireRow(
            "RFC 8246 §2: immutable",
            .init("GET", #"200|Cache-Control: max-age=60, immutable|ETag: "a"||x"#, "miss 200 x < GET"),
            .init("+9 GET|Cache-Control: max-age=0", "hit 200 x"),
            .init("+60 GET", #"304|ETag: "a""#, #"revalidated 200 x < GET If-None-Match: "a""#)
        ),
    ]
}
