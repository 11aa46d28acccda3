#if FullFoundation
import Foundation

/// A Foundation stream over a body that opens the body's files and streams only when it reads them.
///
/// A `URLRequest` can therefore be built more than once from a body that can be read only once.
package final class BodyInputStream: InputStream {
    /// The number of bytes, or `nil` if it is unknown. A `URLRequest` with a stream has no other place for it.
    package let length: Int64?
    private let body: RequestBody
    private var bytes: BodyBytes?
    /// The bytes that were read and didn't fit into the reader's buffer.
    private var unread = Data()
    private var failure: (any Error)?
    private var status = Stream.Status.notOpen

    package init(_ body: RequestBody) {
        length = body.length
        self.body = body
        super.init(data: Data())
    }

    package override func open() {
        if status == .notOpen { status = .open }
    }

    package override func close() {
        bytes = nil
        if status != .error { status = .closed }
    }

    package override var hasBytesAvailable: Bool { status == .open }
    package override var streamStatus: Stream.Status { status }
    package override var streamError: (any Error)? { failure }

    // Reads block until there are bytes, so a run loop and a delegate have no use.
    package override var delegate: (any StreamDelegate)? {
        get { nil }
        set {}
    }
    package override func schedule(in aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {}
    package override func remove(from aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {}

    package override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength: Int) -> Int {
        guard status == .open else { return status == .atEnd ? 0 : -1 }
        do {
            if unread.isEmpty { unread = try next(upTo: maxLength) ?? Data() }
        } catch {
            failure = error
            status = .error
            return -1
        }
        if unread.isEmpty { status = .atEnd }
        let count = min(maxLength, unread.count)
        unsafe unread.copyBytes(to: buffer, count: count)
        unread = unread.dropFirst(count)
        return count
    }

    private func next(upTo maximumBytes: Int) throws -> Data? {
        var bytes = try self.bytes ?? BodyBytes(body) { try $0.openStream() }
        defer { self.bytes = bytes }
        return try bytes.next(upTo: maximumBytes)
    }

    package override func getBuffer(
        _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>,
        length: UnsafeMutablePointer<Int>
    ) -> Bool {
        false
    }
}
#endif
