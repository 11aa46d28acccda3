/// A queue whose operations take amortized constant time.
package struct Queue<Element> {
    /// The elements to take next, in reverse order.
    private var front: [Element] = []
    private var back: [Element] = []

    package init() {}

    package var isEmpty: Bool { front.isEmpty && back.isEmpty }

    package var first: Element? { front.last ?? back.first }

    package mutating func append(_ element: Element) { back.append(element) }

    package mutating func popFirst() -> Element? {
        if front.isEmpty { (front, back) = (back.reversed(), []) }
        return front.popLast()
    }

    package mutating func removeAll() -> [Element] {
        defer { (front, back) = ([], []) }
        return front.reversed() + back
    }
}
