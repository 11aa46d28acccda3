import Requests

/// The unread chunks of a body. A single chunk needs no array.
struct BufferedChunks {
    private var first: Data?
    private var others: [Data] = []
    /// The number of elements of `others` that were moved to `first`.
    private var taken = 0
    private(set) var byteCount = 0

    var isEmpty: Bool { first == nil }

    mutating func append(_ chunk: Data) {
        byteCount += chunk.count
        if first == nil { first = chunk } else { others.append(chunk) }
    }

    mutating func popFirst() -> Data? {
        guard let chunk = first else { return nil }
        byteCount -= chunk.count
        first = taken < others.count ? others[taken] : nil
        if first == nil {
            others.removeAll(keepingCapacity: true)
            taken = 0
        } else {
            // Releases the chunk, so that the reader has the only reference.
            others[taken] = Data()
            taken += 1
            // Frees the memory of taken chunks even if the reader never catches up.
            if taken >= 32, taken * 2 >= others.count {
                others.removeFirst(taken)
                taken = 0
            }
        }
        return chunk
    }

    /// All unread bytes. `nil` if there are none.
    var joined: Data? {
        guard let first, taken < others.count else { return first }
        var all = Data(capacity: byteCount)
        all.append(first)
        for chunk in others[taken...] { all.append(chunk) }
        return all
    }
}
