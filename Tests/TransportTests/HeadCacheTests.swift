import Requests
import Testing

@testable import RequestsCurl

@Suite("Heads that are read with the last one in the cache", .timeLimit(.minutes(5)))
struct HeadCacheTests {
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

    private func read(_ lines: [String], _ cache: HeadCache? = nil) -> Reading {
        var reading = Reading()
        var reader = HeadReader(cache)
        for (index, line) in lines.enumerated() where !read(line, at: index, with: &reader, &reading) { break }
        complete(&reading, &reader)
        return reading
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
    func equal() {
        let cache = HeadCache()
        let first = read(head, cache)
        let revision = cache.revision
        #expect(read(head, cache) == first)
        #expect(cache.revision == revision)
        #expect(cache.head?.header.count == 3)
        #expect(first.fields == [["Date", "1"], ["Content-Type", "a/b"], ["Set-Cookie", "c"]])
        #expect(first.linesToTheEnd == 5)
    }

    @Test("Only the line that differs is parsed")
    func difference() {
        let cache = HeadCache()
        _ = read(head, cache)
        let revision = cache.revision
        var other = head
        other[1] = "Date: 2"
        #expect(read(other, cache).fields == [["Date", "2"], ["Content-Type", "a/b"], ["Set-Cookie", "c"]])
        // One line and the head.
        #expect(cache.revision == revision + 2)
    }

    @Test("A head with folded lines or more than 32 lines isn't stored")
    func unstored() {
        let long = (0..<32).map { "X-\($0): 1" }
        for head in [["HTTP/1.1 200 OK", "A: b", " c", ""], ["HTTP/1.1 200 OK"] + long + [""]] {
            let cache = HeadCache()
            #expect(read(head, cache) == read(head))
            #expect(cache.head == nil)
            #expect(read(head, cache) == read(head))
        }
    }

    @Test("The head before changes nothing about the next one")
    func independence() {
        let heads = heads
        let expected = heads.map { read($0) }
        let previous = zip(heads, expected).filter { $1.linesToTheEnd == $0.count }.map(\.0)
        #expect(previous.count > 20)
        for first in previous {
            for (head, expected) in zip(heads, expected) {
                let cache = HeadCache()
                _ = read(first, cache)
                let reading = read(head, cache)
                if reading != expected { Issue.record("\(head) after \(first): \(reading)") }
            }
        }
    }

    @Test("Two heads that arrive by turns don't mix")
    func interleaving() {
        let heads = heads.filter { $0.count == 4 }
        let expected = heads.map { read($0) }
        for index in heads.indices {
            for other in stride(from: index % 7, to: heads.count, by: 7) {
                let cache = HeadCache()
                _ = read(head, cache)
                let pair = (heads[index], heads[other])
                var first = HeadReader(cache)
                var second = HeadReader(cache)
                var readings = (Reading(), Reading())
                var goOn = (true, true)
                for line in 0..<4 {
                    if goOn.0 { goOn.0 = read(pair.0[line], at: line, with: &first, &readings.0) }
                    if goOn.1 { goOn.1 = read(pair.1[line], at: line, with: &second, &readings.1) }
                }
                complete(&readings.0, &first)
                complete(&readings.1, &second)
                if readings != (expected[index], expected[other]) { Issue.record("\(pair): \(readings)") }
                let next = read(pair.0, cache)
                if next != expected[index] { Issue.record("\(pair.0) after \(pair): \(next)") }
            }
        }
    }
}
