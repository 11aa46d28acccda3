import Requests
import RequestsClient
import RequestsTesting

/// Cases about malformed heads, lengths and trailers, which are stream errors (RFC 9113 §8.1.1, §8.2, §8.3).
extension TransportConformance.HostileExchange {
    static let heads: [Self] = invalidHeads + invalidTrailers + lengths + informational

    private static let fields: KeyValuePairs<String, KeyValuePairs<String, String>> = [
        "empty": [:], "noStatus": ["x": "y"], "emptyStatus": [":status": ""], "shortStatus": [":status": "20"],
        "longStatus": [":status": "2000"], "lowStatus": [":status": "099"], "textStatus": [":status": "abc"],
        "signedStatus": [":status": "+20"], "spacedStatus": [":status": " 200"],
        "repeatedStatus": [":status": "200", ":status": "200"],
        "conflictingStatus": [":status": "200", ":status": "404"],
        "lateStatus": ["x": "y", ":status": "200"], "requestPath": [":status": "200", ":path": "/"],
        "requestMethod": [":status": "200", ":method": "GET"], "unknownPseudo": [":status": "200", ":x": "y"],
        "switching": [":status": "101"], "uppercaseName": [":status": "200", "X": "y"],
        "spaceInName": [":status": "200", "x y": "z"], "emptyName": [":status": "200", "": "z"],
        "colonInName": [":status": "200", "x:y": "z"], "lineInName": [":status": "200", "x\r\ny": "z"],
        "nullInName": [":status": "200", "x\0": "z"], "unicodeName": [":status": "200", "é": "z"],
        "lineInValue": [":status": "200", "x": "a\r\nset-cookie: b"], "feedInValue": [":status": "200", "x": "a\nb"],
        "returnInValue": [":status": "200", "x": "a\rb"], "nullInValue": [":status": "200", "x": "a\0b"],
        "connection": [":status": "200", "connection": "close"], "keepAlive": [":status": "200", "keep-alive": "1"],
        "proxyConnection": [":status": "200", "proxy-connection": "close"],
        "transferEncoding": [":status": "200", "transfer-encoding": "chunked"],
        "upgrade": [":status": "200", "upgrade": "h2c"], "te": [":status": "200", "te": "gzip"],
        "leadingSpace": [":status": "200", "x": " y"], "trailingTab": [":status": "200", "x": "y\t"],
    ]

    private static let invalidHeads = fields.map { name, fields in
        frames("head.\(name)", "a head with an invalid field is malformed: \(name) (§8.2, §8.3)", .malformed) {
            [.headers(fields, on: $0), .data("hello", on: $0)]
        }
    }

    private static let invalidTrailers =
        ([
            "status": [":status": "200"], "path": [":path": "/"], "uppercase": ["X": "y"],
            "connection": ["connection": "close"],
            "transferEncoding": ["transfer-encoding": "chunked"], "lineInValue": ["x": "a\r\nb: c"],
            "emptyName": ["": "x"],
        ] as KeyValuePairs<String, KeyValuePairs<String, String>>).map { name, fields in
            frames("trailers.\(name)", "trailers with an invalid field are malformed: \(name) (§8.1)", .malformed) {
                [
                    .headers([":status": "200"], on: $0), .data("hello", on: $0, endStream: false),
                    .headers(fields, on: $0, endStream: true),
                ]
            }
        }

    private static func length(_ name: String, _ fields: KeyValuePairs<String, String>, _ body: String = "hello")
        -> Self
    {
        frames("length.\(name)", "a body that doesn't match its Content-Length is malformed (§8.1.1)", .malformed) {
            [.headers(fields, on: $0), .data(body, on: $0)]
        }
    }

    private static let lengths: [Self] = [
        length("short", [":status": "200", "content-length": "6"]),
        length("long", [":status": "200", "content-length": "4"]),
        length("noBody", [":status": "200", "content-length": "5"], ""),
        length("unexpectedBody", [":status": "200", "content-length": "0"]),
        length("huge", [":status": "200", "content-length": "9223372036854775807"]),
        length("overflow", [":status": "200", "content-length": "99999999999999999999"]),
        length("text", [":status": "200", "content-length": "5x"]),
        length("negative", [":status": "200", "content-length": "-5"]),
        length("signed", [":status": "200", "content-length": "+5"]),
        length("empty", [":status": "200", "content-length": ""]),
        length("conflicting", [":status": "200", "content-length": "5", "content-length": "6"]),
        length("list", [":status": "200", "content-length": "5, 6"]),
        length("noContent", [":status": "204", "content-length": "5"]),
        frames(
            "length.endsWithHead",
            "a head that promises a body but ends is malformed (§8.1.1)",
            .malformed
        ) {
            [.headers([":status": "200", "content-length": "5"], on: $0, endStream: true)]
        },
        frames(
            "length.head",
            "a response to HEAD can have a Content-Length (§8.1.1)",
            Allowed(bodies: [Data()]),
            to: .head
        ) {
            [.headers([":status": "200", "content-length": "5"], on: $0, endStream: true)]
        },
        frames("length.notModified", "a 304 can have a Content-Length (§8.1.1)", Allowed(bodies: [Data()])) {
            [.headers([":status": "304", "content-length": "5"], on: $0, endStream: true)]
        },
        frames(
            "length.bodyOfHead",
            "a body in response to HEAD isn't delivered (RFC 9110 §9.3.2)",
            .malformed.or(empty),
            to: .head
        ) {
            [.headers([":status": "200", "content-length": "5"], on: $0), .data("hello", on: $0)]
        },
        frames("length.bodyOfNoContent", "the body of a 204 isn't delivered (RFC 9110 §15.3.5)", .malformed.or(empty)) {
            [.headers([":status": "204"], on: $0), .data("hello", on: $0)]
        },
    ]

    private static let empty = Allowed(bodies: [Data()])

    private static let informational: [Self] = [
        frames(
            "informational.ends",
            "an informational head that ends the stream is malformed (§8.1)",
            .malformed.or(.cut)
        ) {
            [.headers([":status": "103"], on: $0, endStream: true)]
        },
        frames("informational.data", "DATA after an informational head is malformed (§8.1)", .malformed) {
            [.headers([":status": "103"], on: $0), .data("hello", on: $0)]
        },
        prefix("informational.many", "100 informational heads precede a response (§8.1)", .responseOrFailure) {
            Array(repeating: .headers([":status": "103", "x": "y"], on: $0), count: 100)
        },
        prefix(
            "informational.length",
            "an informational head can't have a Content-Length (RFC 9110 §8.6)",
            .response.or(.malformed)
        ) {
            [.headers([":status": "103", "content-length": "3"], on: $0)]
        },
        suffix(
            "informational.afterEnd",
            "an informational head after the end doesn't change a response",
            .response.or(.connectionError)
        ) {
            [.headers([":status": "103"], on: $0)]
        },
        inside("informational.inBody", "an informational head in the body is malformed (§8.1)", .malformed) {
            [.headers([":status": "103"], on: $0)]
        },
    ]
}
