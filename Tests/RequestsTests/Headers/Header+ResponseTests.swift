import Requests
import Testing

@Suite("Framing of response bodies", .timeLimit(.minutes(5)))
struct HeaderResponseTests {
    private func header(_ lengths: [String]) -> Header {
        Header(lengths.map { Field(name: "content-length", value: $0) })
    }

    @Test(
        "no length, one length and equal repeated lengths are valid",
        arguments: [[], ["0"], ["5"], ["5", "5"], ["5, 5"], ["5,5", "5"], [String(Int64.max)]]
    )
    func clear(lengths: [String]) {
        #expect(header(lengths).lengthFault == nil)
    }

    @Test(
        "different lengths are an error",
        arguments: [["5", "6"], ["5, 6"], ["5", "05"], ["5,"], [",5"], ["5", ""], ["5", "5, 6"]]
    )
    func different(lengths: [String]) {
        #expect(header(lengths).lengthFault?.contains("different lengths") == true)
    }

    @Test(
        "a length that isn't a number of bytes is an error",
        arguments: ["", "-1", "+5", "0x5", "5 5", "5.0", "five", "\u{665}", "9223372036854775808", "5\u{301}", "5;5"]
    )
    func noNumber(length: String) {
        #expect(header([length]).lengthFault?.contains("isn't a number of bytes") == true)
    }

    @Test(
        "the connection is closed if a Connection field lists close",
        arguments: [
            ("close", true), ("Close", true), ("keep-alive, close", true), ("keep-alive\t,\tclose", true),
            ("keep-alive,close", true), ("keep-alive", false), ("closed", false), ("", false),
        ]
    )
    func close(text: String, expected: Bool) {
        #expect(Header([Field(name: "Connection", value: text)]).closesConnection == expected)
    }

    @Test(
        "the length is ignored if the body is chunked",
        arguments: ["chunked", "Chunked", "chunked,", ", chunked", "chunked\t"]
    )
    func chunked(coding: String) {
        var header = header(["5", "six"])
        #expect(header.lengthFault != nil)
        #expect(!header.isChunked)
        header.add(Field(name: .transferEncoding, value: coding))
        #expect(header.lengthFault == nil)
        #expect(header.isChunked)
    }

    @Test("the length is used if the transfer coding is identity")
    func identity() {
        let identity = Field(name: .transferEncoding, value: "identity")
        #expect(Header([identity]).lengthFault == nil)
        #expect(!Header([identity]).isChunked)
        #expect(Header([identity] + header(["5", "6"])).lengthFault != nil)
    }

    @Test(
        "unrequested transfer codings are an error, and so is chunked before another coding",
        arguments: [
            ["gzip"], ["gzip, chunked"], ["chunked, gzip"], ["gzip", "chunked"], ["chunked", "identity"],
            ["chunked", "chunked"], ["xchunked"], ["chunked;q=1"], ["\"chunked\""], ["\u{B}chunked"], [""],
            ["chun\u{301}ked"],
        ]
    )
    func otherCodings(codings: [String]) {
        let header = Header(codings.map { Field(name: .transferEncoding, value: $0) })
        #expect(header.lengthFault?.contains("unsupported transfer codings") == true)
    }

    @Test("the error's message is one line, whatever the server sends", arguments: ["1\n2", "1\u{1B}[31m", "1,2\r\n"])
    func oneLine(length: String) {
        let fault = header([length]).lengthFault
        #expect(fault?.unicodeScalars.contains { $0.properties.generalCategory == .control } == false)
    }
}
