import CFaults
import Foundation

/// What a process holds because of its transports.
struct Resources {
    private let descriptors: Int
    private let blocks: Int

    /// What is held now, when there is no transport.
    init() {
        descriptors = Resources.descriptors
        blocks = faults_blocks()
    }

    /// Waits until everything is released, and throws a ``Fault`` if it isn't after 10 seconds.
    func awaitRelease() async throws {
        for _ in 0..<10_000 {
            if leaks.isEmpty { return }
            try await Task.sleep(for: .milliseconds(1))
        }
        if !leaks.isEmpty { throw Fault("leaked: \(leaks.joined(separator: ", "))") }
    }

    private var leaks: [String] {
        [
            (Resources.descriptors - descriptors, "descriptors"),
            (Resources.threads, "threads"),
            (faults_blocks() - blocks, "blocks of libcurl's memory"),
        ]
        .filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    }

    private static var descriptors: Int { entries(of: "/proc/self/fd").count }

    /// The number of threads of transports. Those that libcurl starts inherit the name.
    private static var threads: Int {
        entries(of: "/proc/self/task").filter { task in
            let name = try? String(contentsOfFile: "/proc/self/task/\(task)/comm", encoding: .utf8)
            return name == "Requests.Curl\n"
        }
        .count
    }

    private static func entries(of directory: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    }
}
