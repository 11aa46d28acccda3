import RequestsClient

/// Records values from closures on any thread, in order.
final class Recorder<Element: Sendable>: Sendable {
    private let elements = Locked<[Element]>([])

    func record(_ element: Element) {
        elements.withLock { $0.append(element) }
    }

    var recorded: [Element] { elements.withLock { $0 } }
    var count: Int { recorded.count }
}

extension Recorder where Element == Void {
    func record() {
        record(())
    }
}
