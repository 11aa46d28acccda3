/// A queue whose operations take constant time, on average.
struct Queue<Element> {
    /// The elements to take next, in reverse order.
    private var front: [Element] = []
    private var back: [Element] = []

    var isEmpty: Bool { front.isEmpty && back.isEmpty }

    var first: Element? { front.last ?? back.first }

    mutating func append(_ element: Element) {
        back.append(element)
    }

    mutating func popFirst() -> Element? {
        if front.isEmpty { (front, back) = (back.reversed(), []) }
        return front.popLast()
    }

    mutating func removeAll() -> [Element] {
        defer { (front, back) = ([], []) }
        return front.reversed() + back
    }
}
