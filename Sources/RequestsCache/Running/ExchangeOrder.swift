/// The order in which requests were sent, and what was seen since.
///
/// A response that was requested before a write (RFC 9111 §4.4), a removal, or a newer response must not be stored
/// after it.
struct ExchangeOrder: Sendable {
    private var last = 0
    /// The numbers of the requests before which nothing counts any longer, by the names of entries and their starts.
    /// The empty name is the start of all.
    private var limits: [String: Int] = [:]

    mutating func next() -> Int {
        last += 1
        return last
    }

    /// Notes that nothing that was requested before a number counts.
    ///
    /// - Parameter name: The name of entries, or their start.
    mutating func outdate(_ name: String, before number: Int) {
        if limits.count >= 10_000 { limits = ["": last] }
        limits[name] = max(limits[name] ?? 0, number)
    }

    func isOutdated(_ names: [String], _ number: Int) -> Bool {
        ([""] + names).contains { limits[$0] ?? 0 > number }
    }
}
