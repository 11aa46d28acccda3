import RequestsConformance
import RequestsCurl
import RequestsTesting
import Testing

@Suite("Self-test of the conformance suite", .timeLimit(.minutes(5)))
struct ConformanceSaboteurTests {
    private static let applicable = TransportConformance.Case.all.filter {
        !LibcurlBuild.inapplicable.contains($0.name) && !LibcurlLimits.names.contains($0.name)
    }

    @Test("A transport that breaks one requirement fails exactly that case", arguments: applicable)
    func sabotage(aCase: TransportConformance.Case) async throws {
        let known = aCase.name.hasPrefix("http2.") ? Saboteur.misjudging : Saboteurs.byCase[aCase.name]
        let saboteur = try #require(known, "\(aCase.name) has no saboteur")
        let hangs = Saboteurs.hanging.contains(aCase.name)
        let report = await #expect(throws: TransportConformance.Report.self) {
            try await TransportConformance.run(
                cases: [hangs ? aCase.ending(within: .seconds(2)) : aCase],
                makeTLSTransport: { try (Saboteurs.overTLS[aCase.name] ?? Saboteurs.trusting)($0) },
                makeHTTP2Transport: { saboteur(try CurlTransport.withPriorKnowledge()) },
                makeTransport: { saboteur(try CurlTransport()) }
            )
        }
        #expect(report?.failures.map(\.case.name) == [aCase.name])
        // The case must find the fault itself, unless the fault is a hang.
        #expect(report?.failures.first?.reason.hasPrefix("the case didn't end within") == hangs)
    }

    @Test("A hostile HTTP/2 server must not harm later requests or other servers, or cause a hang")
    func hostile() async {
        let outcomes: [(@Sendable (any Transport) -> Saboteur, String)] = [
            (Saboteur.brokenByFailure, "closed: "),
            (Saboteur.spreadingFailures, "the body of the next response"),
            (Saboteur.endingOtherBodies, "the body from another server"),
            (Saboteur.hangingOnFailure, "the case didn't end within"),
        ]
        let aCase = TransportConformance.Case.http2("reset.beforeHead.cancel")
        for (saboteur, reason) in outcomes {
            let hangs = reason.hasPrefix("the case didn't end")
            let report = await #expect(throws: TransportConformance.Report.self) {
                try await TransportConformance.run(
                    cases: [hangs ? aCase.ending(within: .seconds(2)) : aCase],
                    makeHTTP2Transport: { saboteur(try CurlTransport.withPriorKnowledge()) },
                    makeTransport: { try CurlTransport() }
                )
            }
            #expect(report?.failures.first?.reason.hasPrefix(reason) == true, "\(report as Any)")
        }
    }

    @Test("An excluded case is reported with its reason")
    func exclusion() async throws {
        let report = try await TransportConformance.run(
            excluding: [.reuse("no reuse")],
            cases: [.reuse, .refusedConnection]
        ) { try CurlTransport() }
        #expect(report.outcomes.map(\.outcome) == [.excluded("no reuse"), .passed])
        #expect(report.description == "1 of 2 cases passed")
    }

    @Test("A report is appended to a file, one line per case")
    func results() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "results-\(UUID())")
        defer { try? FileManager.default.removeItem(at: file) }
        let exclusions: [TransportConformance.Case] = [.reuse("no\nreuse")]
        let report = try await TransportConformance.run(
            excluding: exclusions,
            cases: [.reuse, .refusedConnection, .wrongPin]
        ) { try CurlTransport() }
        try report.append(to: file, as: "one")
        try report.append(to: file, as: "two")
        let pins = "makeTLSTransport wasn't passed"
        let lines = ["one", "two"].map { name in
            "\(name)\treuse\texcluded\tno reuse\n\(name)\trefusedConnection\tpassed\t\n"
                + "\(name)\twrongPin\tinapplicable\t\(pins)\n"
        }
        #expect(try String(contentsOf: file, encoding: .utf8) == lines.joined())
    }

    @Test("Case names are unique")
    func names() {
        let names = TransportConformance.Case.all.map(\.name)
        #expect(Set(names).count == names.count)
    }
}
