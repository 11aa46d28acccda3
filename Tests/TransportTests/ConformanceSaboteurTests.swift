import Foundation
import Requests
import RequestsCurl
import RequestsTesting
import Testing

@Suite("Each case of the conformance suite finds what it is there for", .timeLimit(.minutes(5)))
struct ConformanceSaboteurTests {
    private static let applicable = TransportConformance.Case.all.filter {
        !LibcurlBuild.inapplicable.contains($0.name)
    }

    @Test("a transport that does the one thing wrong fails", arguments: applicable)
    func sabotage(aCase: TransportConformance.Case) async throws {
        let saboteur = try #require(Saboteurs.byCase[aCase.name], "there is no saboteur for \(aCase.name)")
        let hangs = Saboteurs.hanging.contains(aCase.name)
        let report = await #expect(throws: TransportConformance.Report.self) {
            try await TransportConformance.run(
                cases: [hangs ? aCase.ending(within: .seconds(2)) : aCase],
                makeTLSTransport: { try (Saboteurs.overTLS[aCase.name] ?? Saboteurs.trusting)($0) },
                makeTransport: { saboteur(try CurlTransport()) }
            )
        }
        #expect(report?.failures.map(\.case.name) == [aCase.name])
        // A deadline must not pass for what the case finds.
        #expect(report?.failures.first?.reason.hasPrefix("there was no end within") == hangs)
    }

    @Test("a case that is left out is reported with its reason")
    func exclusion() async throws {
        let report = try await TransportConformance.run(
            excluding: [.reuse("each exchange is alone")],
            cases: [.reuse, .refusedConnection]
        ) { try CurlTransport() }
        #expect(report.outcomes.map(\.outcome) == [.excluded("each exchange is alone"), .passed])
        #expect(report.description == "1 of 2 cases passed")
    }

    @Test("a report becomes lines of a file, after those of others")
    func results() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "results-\(UUID())")
        defer { try? FileManager.default.removeItem(at: file) }
        let exclusions: [TransportConformance.Case] = [.reuse("each exchange\nis alone")]
        let report = try await TransportConformance.run(
            excluding: exclusions,
            cases: [.reuse, .refusedConnection, .wrongPin]
        ) { try CurlTransport() }
        try report.append(to: file, as: "one")
        try report.append(to: file, as: "two")
        let pins = "there is no closure that makes a transport of TLSOptions"
        let lines = ["one", "two"].map { name in
            "\(name)\treuse\texcluded\teach exchange is alone\n\(name)\trefusedConnection\tpassed\t\n"
                + "\(name)\twrongPin\tinapplicable\t\(pins)\n"
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == lines.joined())
    }

    @Test("names are unique")
    func names() {
        let names = TransportConformance.Case.all.map(\.name)
        #expect(Set(names).count == names.count)
    }
}
