import Requests
import Testing

@testable import RequestsCurl

@Suite("A head that was read before", .timeLimit(.minutes(5)))
struct KnownHeadTests {
    /// What a head says, or what is wrong with it.
    private struct Reading: Equatable {
        var version: HTTPVersion?
        var statusCode = 0
        var fields: [[String]] = []
        var linesToTheEnd: Int?
        var fault: String?
    }

    private func read(_ lines: [String], with reader: inout HeadReader) -> Reading {
        var reading = Reading()
        do throws(HeadFault) {
            for (index, line) in lines.enumerated() where try reader.read(Array("\(line)\r\n".utf8)) {
                reading.linesToTheEnd = index + 1
                break
            }
        } catch {
            reading.fault = "\(error)"
        }
        reading.version = reader.version
        reading.statusCode = reader.statusCode
        reading.fields = reader.header.map { [$0.name.rawValue, $0.value] }
        return reading
    }

    private func memory(of lines: [String]) -> KnownHead? {
        var reader = HeadReader()
        return read(lines, with: &reader).linesToTheEnd == lines.count ? reader.memory : nil
    }

    private let head = ["HTTP/1.1 200 OK", "Date: 1", "Content-Type: a/b", "Set-Cookie: c", ""]

    @Test("is not read again, and says the same")
    func same() throws {
        let known = try #require(memory(of: head))
        var reader = HeadReader(known: known)
        let reading = read(head, with: &reader)
        let isKnown = reader.isKnown
        #expect(isKnown)
        #expect(reader.memory === known)
        #expect(reading.statusCode == 200)
        #expect(reading.fields == [["Date", "1"], ["Content-Type", "a/b"], ["Set-Cookie", "c"]])
        #expect(reading.linesToTheEnd == 5)
    }

    @Test("is not remembered with folded lines, nor when it is large")
    func forgotten() {
        #expect(memory(of: ["HTTP/1.1 200 OK", "A: b", " c", ""]) == nil)
        let large = (0..<30).map { "X-\($0): \(String(repeating: "x", count: 30))" }
        #expect(memory(of: ["HTTP/1.1 200 OK"] + large + [""]) == nil)
        #expect(memory(of: ["HTTP/1.1 200 OK"] + large.prefix(20) + [""]) != nil)
    }

    @Test("changes nothing of what the next one says")
    func independence() {
        let starts = ["HTTP/1.1 200 OK", "HTTP/2 404 ", "HTTP/1.1 20"]
        let lines = ["A: 1", "A: 2", "b: 1", " c", "no colon", ""]
        var bodies: [[String]] = [[]]
        for length in 0..<3 {
            bodies += bodies.filter { $0.count == length }.flatMap { body in lines.map { body + [$0] } }
        }
        let heads = starts.flatMap { start in bodies.map { [start] + $0 + [""] } }
        let expected = heads.map { head in
            var reader = HeadReader()
            return read(head, with: &reader)
        }
        var memories: [KnownHead] = []
        for head in heads { if let memory = memory(of: head) { memories.append(memory) } }
        #expect(memories.count > 20)
        for memory in memories {
            for (head, expected) in zip(heads, expected) {
                var reader = HeadReader(known: memory)
                let reading = read(head, with: &reader)
                if reading != expected { Issue.record("\(head) after \(memory.header): \(reading)") }
            }
        }
    }
}
