import Requests

/// The bytes of a head until all of it is there, in memory that is used again and again.
final class HeadBuffer {
    private var storage = UnsafeMutableRawBufferPointer.allocate(byteCount: 2048, alignment: 1)
    private var count = 0

    deinit { storage.deallocate() }

    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: storage[..<count]) }

    var isEmpty: Bool { count == 0 }

    func removeAll() {
        count = 0
    }

    /// - Returns: Whether the head still has a size that heads have.
    func append(_ more: UnsafeRawBufferPointer) -> Bool {
        guard count + more.count <= Header.maximumSize else { return false }
        if count + more.count > storage.count {
            let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: (count + more.count) * 2, alignment: 1)
            larger.copyMemory(from: bytes)
            storage.deallocate()
            storage = larger
        }
        UnsafeMutableRawBufferPointer(rebasing: storage[count...]).copyMemory(from: more)
        count += more.count
        return true
    }
}
