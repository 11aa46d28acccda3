import Foundation

/// Pieces of a body that wait for their reader. A small body is one piece, which takes no memory of its own.
struct BufferedChunks {
    private var first: Data?
    private var others: [Data] = []
    /// How many of the others have become the first.
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
            // Not to be kept by two.
            others[taken] = Data()
            taken += 1
            forgetTaken()
        }
        return chunk
    }

    /// A reader that is always a little behind never takes them all.
    private mutating func forgetTaken() {
        guard taken >= 32, taken * 2 >= others.count else { return }
        others.removeFirst(taken)
        taken = 0
    }

    /// All that is left; `nil` for nothing.
    var joined: Data? {
        guard let first, taken < others.count else { return first }
        var all = Data(capacity: byteCount)
        all.append(first)
        for chunk in others[taken...] { all.append(chunk) }
        return all
    }
}
