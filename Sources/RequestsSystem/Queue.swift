/// A queue whose operations take amortized constant time.
@usableFromInline package struct Queue<Element> {
    /// The elements to take next, in reverse order.
    @usableFromInline var front: [Element] = []
    @usableFromInline var back: [Element] = []

    @inlinable package init() {}

    @inlinable package var isEmpty: Bool { front.isEmpty && back.isEmpty }

    @inlinable package var first: Element? { front.last ?? back.first }

    @inlinable package mutating func append(_ element: Element) { back.append(element) }

    @inlinable package mutating func popFirst() -> Element? {
        if front.isEmpty { (front, back) = (back.reversed(), []) }
        return front.popLast()
    }

    @inlinable package mutating func removeAll() -> [Element] {
        defer { (front, back) = ([], []) }
        return front.reversed() + back
    }
}
