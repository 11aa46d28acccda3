import Foundation
import Testing

/// Reads the sources of all tests of this repository.
@Suite("The sources of the tests", .timeLimit(.minutes(5)))
struct TestSourcesTests {
    private struct Source {
        let name: String
        let lines: [Substring]
    }

    private func sources() throws -> [Source] {
        let root = URL(filePath: #filePath).appending(path: "../../..").standardized
        let folders = try ["Tests", "Examples", "Integrations"].flatMap { folder in
            try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: folder).path)
                .map { "\(folder)/\($0)" }
        }
        // The conformance suite is a library that lies with the tests.
        let others = ["Tests/RequestsConformance/", ".build/"]
        let files = folders.filter { path in
            path.hasSuffix(".swift") && path.contains("Tests/") && !others.contains(where: path.contains)
        }
        return try files.map {
            let text = try String(contentsOf: root.appending(path: $0), encoding: .utf8)
            return Source(name: $0, lines: text.split(separator: "\n"))
        }
    }

    /// Returns the type that a line declares or extends, if the line isn't indented.
    private func type(declaredBy line: Substring) -> Substring? {
        line.prefixMatch(of: /(?:(?:private|final|public) )*(?:struct|class|actor|enum|extension) (\w+)/)?.1
    }

    @Test("Every suite, and every test outside a suite, has a time limit")
    func timeLimits() throws {
        var limited: Set<Substring> = []
        var tests: [(type: Substring, place: String)] = []
        for source in try sources() {
            var container: Substring = ""
            var suite: String?
            for (index, line) in source.lines.enumerated() {
                if line.hasPrefix("@Suite") || line.hasPrefix("@Test") { suite = "" }
                suite? += line
                if let type = type(declaredBy: line) {
                    container = type
                    if suite?.contains(".timeLimit(") == true { limited.insert(type) }
                    suite = nil
                } else if line.hasPrefix("func "), let attributes = suite {
                    #expect(attributes.contains(".timeLimit("), "\(source.name): \(line)")
                    suite = nil
                } else if line.hasPrefix("    @Test") {
                    tests.append((container, "\(source.name): line \(index)"))
                }
            }
        }
        #expect(tests.count > 500)
        for test in tests where !limited.contains(test.type) { Issue.record("\(test.place): \(test.type)") }
    }

    /// The files that may wait for time to pass or read a clock, because a slow machine can't make them fail.
    private static let exceptions: Set = [
        // Polls until a process has released its resources.
        "LifetimeTests.swift",
        // Their servers delay responses. The tests check that at least this time was measured.
        "ObservationTests.swift", "ShutWindowTests.swift",
        // Its server sends the end of a stream late. If the machine is later, there is nothing to find.
        "LateEndTests.swift",
        // Its server waits until a stopped process's timeout has passed.
        "StoppedProcessTests.swift",
        // Measures the CPU time that a pause costs.
        "PausedBodyTests.swift",
        // Fails after ten minutes instead of hanging.
        "RequestBody+ReaderTests.swift",
        // Contains the words that it looks for.
        "TestSourcesTests.swift",
    ]

    @Test(
        "Tests neither sleep nor measure time",
        arguments: ["Task.sleep(", "Thread.sleep(", "usleep(", "ContinuousClock.now", "timeout: .now"]
    )
    func noClocks(call: String) throws {
        for source in try sources() where !Self.exceptions.contains(where: { source.name.hasSuffix("/\($0)") }) {
            for line in source.lines where line.contains(call) { Issue.record("\(source.name): \(line)") }
        }
    }
}
