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
            guard cells.count == 4, cells[1].hasPrefix("`") else { return nil }
            return Row(name: cells[1].trimmingCharacters(in: ["`"]), curl: cells[2], urlSession: cells[3])
        }
    }

    @Test("The error table names each conformance case at most once, and no others")
    func names() throws {
        let names = try rows().map(\.name).filter { $0 != "CurlTransport" }
        let known = TransportConformance.Case.all.map(\.name)
        #expect(names.count > 20)
        #expect(Set(names).count == names.count)
        #expect(names.filter { !known.contains($0) } == [])
    }

    @Test("The error table has a dash exactly for the excluded cases")
    func exclusions() throws {
        let excluded = Set(URLSessionLimits.documented.map(\.name))
        for row in try rows() where row.name != "CurlTransport" {
            #expect(row.curl != "–", "\(row.name)")
            #expect((row.urlSession == "–") == excluded.contains(row.name), "\(row.name)")
        }
    }
}
#endif
