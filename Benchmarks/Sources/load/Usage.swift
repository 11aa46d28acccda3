import Foundation

/// What the process holds, as Linux counts it.
struct Usage {
    let descriptors: Int
    let threads: Int
    let residentBytes: Int

    static var now: Usage {
        Usage(
            descriptors: count(in: "/proc/self/fd"),
            threads: count(in: "/proc/self/task"),
            residentBytes: residentBytes
        )
    }

    private static func count(in directory: String) -> Int {
        (try? FileManager.default.contentsOfDirectory(atPath: directory).count) ?? 0
    }

    private static var residentBytes: Int {
        let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .ascii))?
            .split(separator: " ").dropFirst().first.flatMap { Int($0) }
        return (pages ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
    }
}
