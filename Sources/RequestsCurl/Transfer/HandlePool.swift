import Requests

/// Idle handles. Reusing a configured handle is cheaper than making a new one.
struct HandlePool {
    private let settings: Settings
    private var idle: [EasyHandle] = []

    init(_ settings: Settings) {
        self.settings = settings
    }

    mutating func take(for driver: LoopDriver) throws(TransportError) -> EasyHandle {
        if let handle = idle.popLast() { return handle }
        let handle = try EasyHandle(settings, clock: driver.clock)
        handle.reportClosing(to: driver)
        return handle
    }

    mutating func give(back handle: EasyHandle) {
        if idle.count < 128 { idle.append(handle) }
    }

    mutating func empty() {
        idle = []
    }
}
