import RequestsTesting
import Testing

@Suite("Differences of long bodies", .timeLimit(.minutes(5)))
struct LongDifferenceTests {
    private func request(_ lines: [String]) throws -> PreparedRequest {
        let body = RequestBody.data(Data(lines.joined(separator: "\n").utf8))
        return try PreparedRequest(
            method: .post,
            url: RequestURL("https://h/"),
            header: [.contentType(.plainText)],
            body: body
        )
    }

    @Test("two unlike bodies of 20,000 lines differ in every line")
    func unlike() throws {
        let old = try request((0..<20_000).map { "old \($0)" })
        let new = try request((0..<20_000).map { "new \($0)" })
        let difference = new.difference(from: old)
        #expect(difference.changes.count == 40_000)
        #expect(difference.changes.first == .removed("body: old 0"))
        #expect(difference.changes.last == .added("body: new 19999"))
    }

    @Test("long bodies with common lines differ only where they do")
    func alike() throws {
        let lines = (0..<20_000).map { "line \($0)" }
        var changed = lines
        changed[19_990] = "changed"
        changed.remove(at: 10_000)
        changed.insert("added", at: 5)
        let difference = try request(changed).difference(from: request(lines))
        #expect(
            difference.changes == [
                .added("body: added"), .removed("body: line 10000"), .removed("body: line 19990"),
                .added("body: changed"),
            ]
        )
    }

    @Test("repeated lines, and lines in another order, are differences")
    func moved() throws {
        let lines = (0..<3000).map { "line \($0)" }
        let reversed = try request(lines.reversed()).difference(from: request(lines))
        #expect(!reversed.isEmpty)
        let same = Array(repeating: "same", count: 3000)
        let shorter = try request(same).difference(from: request(same + ["end"]))
        #expect(shorter.changes == [.removed("body: end")])
        let interleaved = try request(same.flatMap { [$0, "new"] }).difference(from: request(same))
        #expect(interleaved.changes.contains(.added("body: new")))
    }
}
