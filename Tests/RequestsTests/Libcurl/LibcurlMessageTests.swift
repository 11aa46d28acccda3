import RequestsClient
import Testing

@Suite("Messages of libcurl", .timeLimit(.minutes(5)))
struct LibcurlMessageTests {
    @Test(
        "Messages distinguish faults with the same error code",
        arguments: [
            ("HTTP/2 stream 1 was not closed cleanly: PROTOCOL_ERROR (err 1)", .malformed),
            ("nghttp2 shuts down connection with error 1: PROTOCOL_ERROR", .malformed),
            ("[HTTP2] [1] received invalid frame: FRAME[DATA, len=4, eos=1], error -532: Violation", .malformed),
            ("nghttp2 recv error -905: Too many CONTINUATION frames following a HEADER frame", .tooLarge),
            ("Too large response headers: 307201 > 307200", .tooLarge),
            ("Illegal or missing hexadecimal sequence in chunked-encoding", .malformed),
            ("Out of memory in chunked-encoding", .tooLarge),
            ("chunk hex-length char not a hex digit: 0x7a", .malformed),
        ] as [(String, TransportError.Code)]
    )
    func known(message: String, code: TransportError.Code) {
        #expect(LibcurlMessage.meaning(of: message)?.code == code)
    }

    @Test("An unknown message has no meaning", arguments: ["", "Connection died, tried 5 times before giving up"])
    func unknown(message: String) {
        #expect(LibcurlMessage.meaning(of: message)?.code == nil)
        #expect(LibcurlMessage.meaningWithoutCode(of: message)?.code == nil)
    }

    @Test("A message that quotes the response is replaced")
    func quotation() {
        let message = "Invalid HTTP header field was received: frame type: 1, name: [set-cookie], value: [s3cret]"
        let meaning = LibcurlMessage.meaning(of: message)
        #expect(meaning?.code == .malformed)
        #expect(meaning?.reason == LibcurlMessage.malformedHTTP2)
    }

    @Test(
        "More messages are known for errors without a code",
        arguments: [
            ("SSL certificate problem: unable to get local issuer certificate", .tlsUntrusted),
            ("TLS connect error: error:0A00010B:SSL routines::wrong version number", .tlsFailed),
            ("Unrecognized content encoding type. libcurl understands deflate, gzip", .decoding),
            ("NUL byte in header", .malformed), ("Nul byte in header", .malformed),
            ("A value or data field grew larger than allowed", .tooLarge),
            ("Too large response headers: 307201 > 307200", .tooLarge),
        ] as [(String, TransportError.Code)]
    )
    func withoutCode(message: String, code: TransportError.Code) {
        #expect(LibcurlMessage.meaningWithoutCode(of: message)?.code == code)
    }

    @Test(
        "A message about a common mistake is followed by advice",
        arguments: [
            ("error:0A00010B:SSL routines::wrong version number", true, "http://"),
            ("SSL certificate problem: self-signed certificate", true, "tls.authorities"),
            ("SSL certificate problem: unable to get local issuer certificate", true, "tls.authorities"),
            ("Received HTTP/0.9 when not allowed", false, "https://"),
            ("Received HTTP/0.9 when not allowed", true, nil),
            ("SSL certificate problem: certificate has expired", true, nil),
        ] as [(String, Bool, String?)]
    )
    func advice(message: String, isSecure: Bool, word: String?) {
        let advice = LibcurlMessage.advice(about: message, isSecure: isSecure)
        #expect(word.map { advice?.contains($0) == true } ?? (advice == nil))
    }

    @Test("A message about a dropped field is recognized by its start and not by what it quotes")
    func droppedField() {
        let text = "Ignoring received invalid HTTP header field: frame type: 1, stream: 1, name: [x y], value: [z]"
        #expect(LibcurlMessage.reportsDroppedField(text))
        #expect(!LibcurlMessage.reportsDroppedField("name: [\(text)]"))
    }

    @Test(
        "A log line about a refused request is recognized by its start",
        arguments: [
            ("HTTP/2 stream 7 refused by server, try again on a new connection", true),
            ("HTTP/3 stream 4 refused by server, try again on a new connection", true),
            ("HTTP/2 stream 7 was reset", false), ("HTTP/2 stream x refused by server", false),
            ("< x: HTTP/2 stream 7 refused by server", false), ("HTTP/1 stream 7 refused by server", false),
            ("", false),
        ]
    )
    func refusal(line: String, isRefusal: Bool) {
        let reports = unsafe Array(line.utf8).withUnsafeBytes { unsafe LibcurlMessage.reportsRefusal($0) }
        #expect(reports == isRefusal)
    }

    @Test(
        "A log line about the stream of a request is recognized by its start",
        arguments: [
            ("[HTTP/2] [1] OPENED stream for https://h/", true), ("[HTTP/3] [4] OPENED stream for https://h/", true),
            ("[HTTP/2] [1] [:path: /OPENED stream]", false), ("< x: [HTTP/2] [1] OPENED stream for https://h/", false),
            ("[HTTP/2] [1] [x: \(String(repeating: "a", count: 60))] OPENED stream for ", false), ("", false),
        ]
    )
    func openedStream(line: String, isOpening: Bool) {
        let reports = unsafe Array(line.utf8).withUnsafeBytes { unsafe LibcurlMessage.reportsOpenedStream($0) }
        #expect(reports == isOpening)
    }

    @Test("The two ends of a QUIC connection are distinguished")
    func endsOfQUIC() {
        let (ours, theirs) = ("ngtcp2_conn_writev_stream: ERR_CLOSING", "ngtcp2_conn_writev_stream: ERR_DRAINING")
        #expect(LibcurlMessage.reportsBrokenRules(ours) && !LibcurlMessage.reportsBrokenRules(theirs))
        #expect(LibcurlMessage.reportsQUICEnd(theirs) && !LibcurlMessage.reportsQUICEnd(ours))
    }
}
