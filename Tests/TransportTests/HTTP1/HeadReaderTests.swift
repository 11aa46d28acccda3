import Testing

@testable import RequestsCurl

@Suite("Response heads", .timeLimit(.minutes(5)))
struct HeadReaderTests {
    private func read(_ lines: [String], with reader: inout HeadReader) throws {
        for line in lines { _ = try Array(line.utf8).withUnsafeBytes { try reader.read($0) } }
    }

    @Test("A head and the trailers have at most 5000 fields")
    func count() throws {
        let fields = Array(repeating: "a: b\r\n", count: 5000)
        var reader = HeadReader()
        try read(["HTTP/1.1 200 OK\r\n"] + fields + ["\r\n"], with: &reader)
        var tooMany = HeadReader()
        #expect(throws: HeadFault.self) { try read(["HTTP/1.1 200 OK\r\n"] + fields + ["a: b\r\n"], with: &tooMany) }
        reader.beginTrailers()
        try read(fields, with: &reader)
        #expect(reader.header.count == 5000)
        #expect(throws: HeadFault.self) { try read(["a: b\r\n"], with: &reader) }
    }
}
