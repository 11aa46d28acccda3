import CUsage
import Foundation

/// The resources of the process, as counted by Linux.
public struct Usage: Sendable {
    /// The number of open files, including sockets.
    public let descriptors: Int
    /// The number of threads, without the pools of Dispatch, which come and go.
    public let threads: Int
    /// The resident memory.
    public let residentBytes: Int
    /// The memory that is allocated, without free memory that the C library keeps.
    public let allocatedBytes: Int

    /// The current usage.
    public static var now: Usage {
        Usage(
            descriptors: count(in: "/proc/self/fd"),
            threads: threads.filter { !$0.contains("-qos") }.count,
            residentBytes: residentBytes,
            allocatedBytes: Int(memory_allocated())
        )
    }

    /// Returns the usage once descriptors and threads are back at an earlier number, or after 25 seconds.
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

    /// Returns the usage once it no longer falls, or after five seconds.
    ///
    /// Servers and pools of the same process release memory a little after they are done.
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

    /// The maximum of the resident memory since the start, or since ``forgetPeak()``.
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

    /// The names of the threads. Dispatch names the threads of its pools after their quality of service.
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
