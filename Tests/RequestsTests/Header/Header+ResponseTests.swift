import Requests
import Testing

@Suite("The length of a response's body", .timeLimit(.minutes(5)))
struct HeaderResponseTests {
    private func header(_ lengths: [String]) -> Header {
        Header(lengths.map { Field(name: "content-length", value: $0) })
    }

    @Test(
        "is not in doubt where there is none, one number of bytes, or the same one repeated",
        arguments: [[], ["0"], ["5"], ["5", "5"], ["5, 5"], ["5,5", "5"], [String(Int64.max)]]
    )
    func clear(lengths: [String]) {
        #expect(header(lengths).lengthFault == nil)
    }

    @Test(
        "is in doubt where lengths differ",
        arguments: [["5", "6"], ["5, 6"], ["5", "05"], ["5,"], [",5"], ["5", ""], ["5", "5, 6"]]
    )
    func different(lengths: [String]) {
        #expect(header(lengths).lengthFault?.contains("lengths that differ") == true)
    }

    @Test(
        "is in doubt where it is no number of bytes",
        arguments: ["", "-1", "+5", "0x5", "5 5", "5.0", "five", "\u{665}", "9223372036854775808", "5\u{301}", "5;5"]
    )
    func noNumber(length: String) {
        #expect(header([length]).lengthFault?.contains("is not a number of bytes") == true)
    }

    @Test("does not count beside chunks", arguments: ["chunked", "Chunked", "chunked,", ", chunked", "chunked\t"])
    func chunked(coding: String) {
        var header = header(["5", "six"])
        #expect(header.lengthFault != nil)
        #expect(!header.isChunked)
        header.add(Field(name: .transferEncoding, value: coding))
        #expect(header.lengthFault == nil)
        #expect(header.isChunked)
    }

    @Test("counts beside the coding that is none")
    func identity() {
        let identity = Field(name: .transferEncoding, value: "identity")
        #expect(Header([identity]).lengthFault == nil)
        #expect(!Header([identity]).isChunked)
        #expect(Header([identity] + header(["5", "6"])).lengthFault != nil)
    }

    @Test(
        "is in doubt with transfer codings that were not asked for, or that are not the last",
        arguments: [
            ["gzip"], ["gzip, chunked"], ["chunked, gzip"], ["gzip", "chunked"], ["chunked", "identity"],
            ["chunked", "chunked"], ["xchunked"], ["chunked;q=1"], ["\"chunked\""], ["\u{B}chunked"], [""],
            ["chun\u{301}ked"],
        ]
    )
    func otherCodings(codings: [String]) {
        let header = Header(codings.map { Field(name: .transferEncoding, value: $0) })
        #expect(header.lengthFault?.contains("nobody asked for") == true)
    }

    @Test("is one line in the words for it, whatever the server sends", arguments: ["1\n2", "1\u{1B}[31m", "1,2\r\n"])
    func oneLine(length: String) {
        let fault = header([length]).lengthFault
        #expect(fault?.unicodeScalars.contains { $0.properties.generalCategory == .control } == false)
    }
}
