import Foundation

/// A Foundation stream over the source of a body, which is opened only when the stream is.
///
/// So a `URLRequest` can be built more than once of a body that can be read once.
final class BodyInputStream: InputStream {
    /// How many bytes it will give; `nil` where that is unknown. Not every `URLRequest` with a stream says it.
    let length: Int64?
    private let openSource: () throws -> any BodySource
    private var source: (any BodySource)?
    private var piece = Data()
    private var failure: (any Error)?
    private var status = Stream.Status.notOpen

    init(length: Int64? = nil, opening source: @escaping () throws -> any BodySource) {
        self.length = length
        self.openSource = source
        super.init(data: Data())
    }

    override func open() {
        do {
            source = try openSource()
            status = .open
        } catch {
            failure = error
            status = .error
        }
    }

    override func close() {
        source = nil
        if status != .error { status = .closed }
    }

    override var hasBytesAvailable: Bool { status == .open }
    override var streamStatus: Stream.Status { status }
    override var streamError: (any Error)? { failure }

    // It is read when it is asked: there is nothing to tell a delegate, or to wait for in a run loop.
    override var delegate: (any StreamDelegate)? {
        get { nil }
        set {}
    }
    override func schedule(in aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {}
    override func remove(from aRunLoop: RunLoop, forMode mode: RunLoop.Mode) {}

    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength: Int) -> Int {
        guard status == .open else { return status == .atEnd ? 0 : -1 }
        do {
            while piece.isEmpty {
                guard let next = try source?.read() else {
                    status = .atEnd
                    return 0
                }
                piece = next
            }
        } catch {
            failure = error
            status = .error
            return -1
        }
        let count = min(maxLength, piece.count)
        piece.copyBytes(to: buffer, count: count)
        piece = piece.dropFirst(count)
        return count
    }

    override func getBuffer(
        _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>,
        length: UnsafeMutablePointer<Int>
    ) -> Bool {
        false
    }
}
