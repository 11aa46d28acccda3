import Foundation
import Synchronization

/// The resources that the process has used.
struct Usage {
    let processorTime: Duration

    static var now: Usage {
        var usage = rusage()
        // The constant's type differs from system to system.
        getrusage(.init(RUSAGE_SELF.rawValue), &usage)
        let times = [usage.ru_utime, usage.ru_stime]
        return Usage(
            processorTime: times.reduce(.zero) { $0 + .seconds($1.tv_sec) + .microseconds(Int64($1.tv_usec)) }
        )
    }
}

/// Watches the memory of the process.
final class Memory: Sendable {
    private let start = Memory.resident
    private let peak = Mutex(0)

    /// - Parameter samples: Whether to look for the peak. If not, only the memory at the end counts.
    init(samples: Bool) {
        guard samples else { return }
        Thread.detachNewThread { [weak self] in
            while let self {
                self.peak.withLock { $0 = max($0, Memory.resident) }
                usleep(20_000)
            }
        }
    }

    /// The difference between the peak of the resident memory and the start, in KiB.
    var growth: Int { (max(peak.withLock { $0 }, Memory.resident) - start) / 1024 }

    private static var resident: Int {
        guard let file = fopen("/proc/self/statm", "r") else { return 0 }
        defer { fclose(file) }
        var buffer = [CChar](repeating: 0, count: 128)
        guard fgets(&buffer, Int32(buffer.count), file) != nil else { return 0 }
        let text = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0)
            * Int(sysconf(Int32(_SC_PAGESIZE)))
    }
}
