import CUsage
import Foundation

/// What the process holds, as Linux counts it.
public struct Usage: Sendable {
    /// Open files, sockets included.
    public let descriptors: Int
    /// Threads, but for those of Dispatch's pools, which come and go.
    public let threads: Int
    /// Memory that is there, not swapped out or never touched.
    public let residentBytes: Int
    /// Memory that was asked for and not given back, which leaves out what the C library keeps for later.
    public let allocatedBytes: Int

    /// What is held now.
    public static var now: Usage {
        Usage(
            descriptors: count(in: "/proc/self/fd"),
            threads: threads.filter { !$0.contains("-qos") }.count,
            residentBytes: residentBytes,
            allocatedBytes: Int(memory_allocated())
        )
    }

    /// What is left when no more descriptors and threads are held than before: at the latest 25 seconds later.
    ///
    /// A transport that was dropped closes its connections and ends its thread.
    public static func settled(_ before: Usage) async -> Usage {
        for _ in 0..<200 {
            let usage = now
            if usage.descriptors <= before.descriptors, usage.threads <= before.threads { break }
            try? await Task.sleep(for: .milliseconds(100))
        }
        return await atRest()
    }

    /// What is held when nothing is given back any more: at the latest five seconds later.
    ///
    /// Servers and pools of the same process let go of what they hold a little after they are done.
    public static func atRest() async -> Usage {
        var usage = now
        for _ in 0..<25 {
            try? await Task.sleep(for: .milliseconds(200))
            let before = usage
            usage = now
            if abs(before.allocatedBytes - usage.allocatedBytes) < 16 << 10 { break }
        }
        return usage
    }

    /// The most memory that was there since the start, or since ``forgetPeak()``.
    public static var peakResidentBytes: Int {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return (line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 1024
    }

    /// Starts the peak at the memory in use now.
    public static func forgetPeak() throws {
        try Data("5".utf8).write(to: URL(filePath: "/proc/self/clear_refs"))
    }

    private static func count(in directory: String) -> Int {
        (try? FileManager.default.contentsOfDirectory(atPath: directory).count) ?? 0
    }

    /// The names of the threads. Those of Dispatch's pools are called after their quality of service.
    private static var threads: [String] {
        let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        return tasks.compactMap { try? String(contentsOfFile: "/proc/self/task/\($0)/comm", encoding: .utf8) }
    }

    private static var residentBytes: Int {
        let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .ascii))?
            .split(separator: " ").dropFirst().first.flatMap { Int($0) }
        return (pages ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
    }
}
