import RequestsSystem

/// How many bytes fit into a folder, whose files are counted from time to time, because other processes write as well.
struct CacheSpace {
    /// When the files must be counted.
    enum Count { case notNow, inBackground, immediately }

    let limit: Int64
    /// The size of the bodies that this process is writing.
    private var pending: Int64 = 0
    /// The size of the entries that this process has completed.
    private(set) var completed: Int64 = 0
    /// The size that `completed` may reach before the next count.
    private var end: Int64
    /// The size that `completed` may reach before the next count in the background. The first entry exceeds it.
    private var backgroundEnd: Int64 = -1

    init(_ limit: Int64) { (self.limit, end) = (limit, limit / 8) }

    /// Takes room for bytes of a body that is being written. No entry is removed for it until it is complete.
    mutating func reserve(_ count: Int64) throws {
        guard pending + count <= limit else { throw POSIXError(.EFBIG) }
        pending += count
    }

    /// Returns the room of a body that is complete or canceled.
    mutating func release(_ count: Int64) { pending -= count }

    /// Adds a complete entry.
    mutating func add(_ length: Int64) throws -> Count {
        guard length <= limit else { throw POSIXError(.EFBIG) }
        completed += length
        if completed > end { return .immediately }
        guard completed > backgroundEnd else { return .notNow }
        // Until this count is over.
        backgroundEnd = .max
        return .inBackground
    }

    /// Notes the size of all files.
    ///
    /// - Parameter start: The value of `completed` before they were counted. What was completed since may be missing.
    mutating func note(_ size: Int64, since start: Int64) {
        end = start + min(limit / 8, limit - size)
        backgroundEnd = end - limit / 16
    }
}
