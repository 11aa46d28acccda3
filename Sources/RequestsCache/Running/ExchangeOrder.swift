/// The order in which requests were sent, and what was seen since.
///
/// A response that was requested before a write (RFC 9111 §4.4), a removal, or a newer response must not be stored
/// after it.
struct ExchangeOrder: Sendable {
    private var last = 0
    /// The numbers of the requests before which nothing counts any longer, by the names of entries and their starts.
    private var limits: [String: Int] = [:]
    /// The same for all names.
    private var limit = 0

    mutating func next() -> Int {
        last += 1
        return last
    }

    /// Notes that nothing that was requested before a number counts. `nil` is all names.
    mutating func outdate(_ name: String?, before number: Int) {
        guard let name else { return limit = max(limit, number) }
        if limits.count >= 10_000 { (limits, limit) = ([:], last) }
        limits[name] = max(limits[name] ?? 0, number)
    }

    func isOutdated(_ names: [String], _ number: Int) -> Bool {
        limit > number || names.contains { limits[$0] ?? 0 > number }
    }
}
