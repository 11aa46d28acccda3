#if FullFoundation
import Foundation
import RequestsConformance
import RequestsTesting
import Testing

/// Checks the table of docs/errors.md against the conformance suite.
@Suite("Error table in the documentation", .timeLimit(.minutes(5)))
struct ErrorTableTests {
    private struct Row {
        let name: String
        let curl: String
        let urlSession: String
    }

    private func rows() throws -> [Row] {
        let root = URL(filePath: #filePath).appending(path: "../../../..").standardized
        let text = try String(contentsOf: root.appending(path: "docs/errors.md"), encoding: .utf8)
        return text.split(separator: "\n").compactMap { line in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            // The first cell ends with the case: "an unknown host (`unknownHost`)".
            guard cells.count == 3, cells[0].hasSuffix("`)"), let name = cells[0].split(separator: "`").dropLast().last
            else { return nil }
            return Row(name: String(name), curl: cells[1], urlSession: cells[2])
        }
    }

    @Test("The error table names each conformance case at most once, and no others")
    func names() throws {
        let names = try rows().map(\.name)
        let known = TransportConformance.Case.all.map(\.name)
        #expect(names.count > 20)
        #expect(Set(names).count == names.count)
        #expect(names.filter { !known.contains($0) } == [])
    }

    @Test("The error table has a dash exactly for the excluded cases")
    func exclusions() throws {
        let excluded = Set(URLSessionLimits.documented.map(\.name))
        for row in try rows() {
            #expect(row.curl != "–", "\(row.name)")
            #expect((row.urlSession == "–") == excluded.contains(row.name), "\(row.name)")
        }
    }
}
#endif
