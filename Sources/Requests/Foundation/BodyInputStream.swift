import Foundation

/// A Foundation stream over a body that opens the body's files and streams only when it reads them.
///
/// A `URLRequest` can therefore be built more than once from a body that can be read only once.
package final class BodyInputStream: InputStream {
    /// The number of bytes, or `nil` if it is unknown. A `URLRequest` with a stream has no other place for it.
    package let length: Int64?
    private var rest: ArraySlice<RequestBody>
    /// The stream being read and the number of bytes it may still give; `nil` means all of them.
    private var current: (stream: InputStream, left: Int?)?
    private var failure: (any Error)?
    private var status = Stream.Status.notOpen

    package init(_ body: RequestBody) {
        length = body.length
        rest = [body]
        super.init(data: Data())
    }

    package override func open() {
        if status == .notOpen { status = .open }
    }

    package override func close() {
        current?.stream.close()
        (current, rest) = (nil, [])
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
            while true {
                if let count = try unsafe readCurrent(buffer, maxLength) { return count }
                guard let body = rest.popFirst() else {
                    status = .atEnd
                    return 0
                }
                try start(body)
            }
        } catch {
            failure = error
            status = .error
            return -1
        }
    }

    /// Returns `nil` at the end of the current stream.
    private func readCurrent(_ buffer: UnsafeMutablePointer<UInt8>, _ maxLength: Int) throws -> Int? {
        guard let (stream, left) = current else { return nil }
        let count = unsafe left == 0 ? 0 : stream.read(buffer, maxLength: min(maxLength, left ?? maxLength))
        if count < 0 { throw stream.reportedError ?? CocoaError(.fileReadUnknown) }
        current?.left = left.map { $0 - count }
        if count > 0 { return count }
        stream.close()
        current = nil
        return nil
    }

    private func start(_ body: RequestBody) throws {
        switch body.source {
        case .none: break
        case .data(let data): current = (InputStream(data: data), nil)
        case .file(let slice): current = (try slice.makeStream(), Int(slice.length))
        case .stream(let stream): current = (try stream.take(), nil)
        case .opener(let opener): current = (try opener.open(), nil)
        case .joined(let bodies): rest = bodies + rest
        case .sequence: throw RequestError.sequenceInStream
        case .invalid(let error): throw error
        }
        current?.stream.open()
    }

    package override func getBuffer(
        _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>,
        length: UnsafeMutablePointer<Int>
    ) -> Bool {
        false
    }
}

extension FileSlice {
    /// Makes a stream that starts at the slice's first byte.
    fileprivate func makeStream() throws(RequestError) -> InputStream {
        // Checked here for a clear error. Foundation on Linux prints warnings for the error of a stream.
        try checkReadable()
        guard let stream = InputStream(url: url) else { throw .unreadableFile(url, "it can't be opened") }
        if offset > 0 { _ = stream.setProperty(NSNumber(value: offset), forKey: .fileCurrentOffsetKey) }
        return stream
    }
}

extension InputStream {
    /// The stream's error. Foundation on Linux crashes if it is requested from a stream that has none.
    package var reportedError: (any Error)? { streamStatus == .error ? streamError : nil }
}
