#if canImport(CRequestsCurl)
import CRequestsCurl
import Requests
import RequestsClient
import RequestsSystem

/// The lines of the last response's head. Servers repeat themselves, and an equal line needn't be parsed again.
///
/// Each change increments the revision. A ``HeadReader`` that finds a revision it didn't cause stops using the cache.
/// The variables have unchecked exclusivity as in ``Transfer``.
@safe final class HeadCache {
    private static let lineCount = 32
    /// The maximum length of a cached line in bytes. Longer lines are always parsed.
    private static let lineSize = 256

    private let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: lineCount * lineSize, alignment: 1)
    @safe @exclusivity(unchecked) private var lengths = [Int](repeating: 0, count: lineCount)
    @safe @exclusivity(unchecked) private var fields = [Field?](repeating: nil, count: lineCount)
    private(set) var status = (version: HTTPVersion.http1_1, code: 0)

    /// The complete head that the lines form. `nil` while lines are replaced.
    @safe @exclusivity(unchecked) private(set) var head: Head?
    @safe @exclusivity(unchecked) private(set) var revision = 0

    struct Head {
        let header: Header
        let framing: BodyFraming
    }

    deinit { unsafe bytes.deallocate() }

    /// Whether a line equals the cached line with a number, starting at 0.
    func has(_ line: UnsafeRawBufferPointer, at number: Int) -> Bool {
        guard number < HeadCache.lineCount, lengths[number] == line.count, let line = line.baseAddress,
            let known = unsafe bytes.baseAddress
        else { return false }
        return unsafe memcmp(known + number * HeadCache.lineSize, line, lengths[number]) == 0
    }

    /// Returns the field of a line for which ``has(_:at:)`` is true. `nil` if it has none.
    func field(at number: Int) -> Field? { fields[number] }

    func store(_ line: UnsafeRawBufferPointer, status: (HTTPVersion, Int)) {
        self.status = status
        unsafe store(line, nil, at: 0)
    }

    func store(_ line: UnsafeRawBufferPointer, _ field: Field?, at number: Int) {
        revision += 1
        head = nil
        guard number < HeadCache.lineCount else { return }
        let fits = line.count <= HeadCache.lineSize
        lengths[number] = fits ? line.count : 0
        fields[number] = fits ? field : nil
        guard fits, let line = line.baseAddress else { return }
        unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[(number * HeadCache.lineSize)...])
            .copyMemory(from: UnsafeRawBufferPointer(start: line, count: lengths[number]))
    }

    /// Stores a head after its last line, unless lines between the first and the last aren't exactly one field each.
    func store(_ head: Head, lineCount: Int) {
        guard lineCount <= HeadCache.lineCount, head.header.count == lineCount - 2 else { return }
        revision += 1
        self.head = head
    }
}
#endif
