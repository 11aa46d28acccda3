/// The last invalidations, by the start of their names.
///
/// A request that was sent before an invalidation of its URL must not store its response after it (RFC 9111 §4.4).
struct Invalidations: Sendable {
    /// How many there were.
    private(set) var count = 0
    /// The last ones. `nil` if all names are meant.
    private var recent: [String?] = []

    mutating func add(_ prefix: String?) {
        count += 1
        recent.append(prefix)
        if recent.count > 1000 { recent.removeFirst(500) }
    }

    /// Whether a name was invalidated since an earlier count, or that isn't known any longer.
    func affects(_ prefix: String, since earlier: Int) -> Bool {
        let later = count - earlier
        return later > recent.count || recent.suffix(later).contains { $0 == nil || $0 == prefix }
    }
}
