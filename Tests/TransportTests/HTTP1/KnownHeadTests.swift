import Testing

@testable import RequestsCurl

@Suite("Heads that are compared with a known one", .timeLimit(.minutes(5)))
struct KnownHeadTests {
    /// The result of reading a head.
    private struct Reading: Equatable {
        var version: HTTPVersion?
        var statusCode = 0
        var fields: [[String]] = []
        var linesToTheEnd: Int?
        var fault: String?
    }

    private let head = ["HTTP/1.1 200 OK", "Date: 1", "Content-Type: a/b", "Set-Cookie: c", ""]

    /// Reads one line. Returns whether reading goes on.
    private func read(_ line: String, at index: Int, with reader: inout HeadReader, _ reading: inout Reading) -> Bool {
        do throws(HeadFault) {
            guard try reader.read(Array("\(line)\r\n".utf8)) else { return true }
            reading.linesToTheEnd = index + 1
            _ = reader.finish()
        } catch {
            reading.fault = "\(error)"
        }
        return false
    }

    private func complete(_ reading: inout Reading, _ reader: inout HeadReader) {
        reading.version = reader.version
        reading.statusCode = reader.statusCode
        reading.fields = reader.header.map { [$0.name.rawValue, $0.value] }
    }

    private func read(_ lines: [String], _ known: KnownHead? = nil) -> Reading {
        var reading = Reading()
        var reader = HeadReader(known)
        for (index, line) in lines.enumerated() where !read(line, at: index, with: &reader, &reading) { break }
        complete(&reading, &reader)
        return reading
    }

    /// Returns a complete head as the next reader gets it.
    private func known(_ lines: [String], _ known: KnownHead? = nil) throws -> KnownHead {
        var reader = HeadReader(known)
        for line in lines { _ = try reader.read(Array("\(line)\r\n".utf8)) }
        return reader.finish()
    }

    /// Every head of up to three of these lines.
    private var heads: [[String]] {
        let starts = ["HTTP/1.1 200 OK", "HTTP/2 404 ", "HTTP/1.1 20"]
        let lines = ["A: 1", "A: 2", "b: 1", " c", "no colon", ""]
        var bodies: [[String]] = [[]]
        for length in 0..<3 {
            bodies += bodies.filter { $0.count == length }.flatMap { body in lines.map { body + [$0] } }
        }
        return starts.flatMap { start in bodies.map { [start] + $0 + [""] } }
    }

    @Test("An equal head isn't parsed again")
    func equal() throws {
        let first = try known(head)
        #expect(try known(head, first) === first)
        #expect(first.header.map(\.value) == ["1", "a/b", "c"])
        #expect(read(head, first) == read(head))
    }

    @Test("A line that differs, is missing or is added changes only its field", arguments: 1..<4)
    func difference(line: Int) throws {
        let first = try known(head)
        var (changed, shorter, longer) = (head, head, head)
        changed[line] = "Date: 234"
        shorter.remove(at: line)
        longer.insert("Date: 234", at: line)
        for other in [changed, shorter, longer] {
            #expect(read(other, first) == read(other))
            let second = try known(other, first)
            #expect(second !== first)
            #expect(try known(other, second) === second)
        }
    }

    @Test("What follows from a head's fields follows from a new value, too")
    func derived() throws {
        let length = try known(
            ["HTTP/1.1 200 OK", "Content-Length: 1", ""],
            known(["HTTP/1.1 200 OK", "Content-Length: 2", ""])
        )
        #expect(length.framing.bodyLength == 1)
        let coding = try known(
            ["HTTP/1.1 200 OK", "Transfer-Encoding: chunked", ""],
            known(["HTTP/1.1 200 OK", "Transfer-Encoding: gzip", ""])
        )
        #expect(coding.framing.isChunked)
        let time = try known(
            ["HTTP/1.1 200 OK", "Keep-Alive: timeout=5", ""],
            known(["HTTP/1.1 200 OK", "Keep-Alive: timeout=7", ""])
        )
        #expect(time.keepAlive == 5_000_000_000)
    }

    @Test("A head with folded lines or of more than 8 KiB is always parsed")
    func unknown() throws {
        let long = (0..<1000).map { "X-\($0): 1" }
        for head in [["HTTP/1.1 200 OK", "A: b", " c", ""], ["HTTP/1.1 200 OK"] + long + [""]] {
            let first = try known(head)
            #expect(first.lines.isEmpty)
            #expect(read(head, first) == read(head))
            #expect(try known(head, first) !== first)
        }
    }

    @Test("The head before changes nothing about the next one")
    func independence() throws {
        let heads = heads
        let expected = heads.map { read($0) }
        let previous = zip(heads, expected).filter { $1.linesToTheEnd == $0.count }.map(\.0)
        #expect(previous.count > 20)
        for first in previous {
            let known = try known(first)
            for (head, expected) in zip(heads, expected) {
                let reading = read(head, known)
                if reading != expected { Issue.record("\(head) after \(first): \(reading)") }
            }
        }
    }
}
