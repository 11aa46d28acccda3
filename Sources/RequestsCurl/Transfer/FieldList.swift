import CRequestsCurl

/// The lines of a header as libcurl takes them: a linked list of C strings, in memory that is used again and again.
final class FieldList {
    private var bytes = UnsafeMutableBufferPointer<CChar>.allocate(capacity: 1024)
    private var nodes = UnsafeMutableBufferPointer<curl_slist>.allocate(capacity: 16)
    private var byteCount = 0
    /// Where each line starts: the bytes may move while lines are added.
    private var starts: [Int] = []

    deinit {
        bytes.deallocate()
        nodes.deallocate()
    }

    func removeAll() {
        byteCount = 0
        starts.removeAll(keepingCapacity: true)
    }

    /// Adds a line of parts.
    func append(_ parts: String...) {
        starts.append(byteCount)
        for var part in parts { part.withUTF8 { append($0) } }
        append(0)
    }

    /// Adds a line with a field. A name with a colon and nothing else would make libcurl leave a field out.
    func append(name: String, value: String) {
        if value.isEmpty { append(name, ";") } else { append(name, ": ", value) }
    }

    private func append(_ text: UnsafeBufferPointer<UInt8>) {
        makeRoom(for: text.count)
        for byte in text {
            bytes[byteCount] = CChar(bitPattern: byte)
            byteCount += 1
        }
    }

    private func append(_ byte: CChar) {
        makeRoom(for: 1)
        bytes[byteCount] = byte
        byteCount += 1
    }

    private func makeRoom(for count: Int) {
        guard byteCount + count > bytes.count else { return }
        let larger = UnsafeMutableBufferPointer<CChar>.allocate(capacity: max(bytes.count * 2, byteCount + count))
        _ = larger.update(fromContentsOf: bytes[..<byteCount])
        bytes.deallocate()
        bytes = larger
    }

    /// The list, which holds until the next line is added or removed.
    var list: UnsafeMutablePointer<curl_slist>? {
        if starts.count > nodes.count {
            nodes.deallocate()
            nodes = .allocate(capacity: starts.count * 2)
        }
        guard let firstByte = bytes.baseAddress, let first = nodes.baseAddress, !starts.isEmpty else { return nil }
        for (index, start) in starts.enumerated() {
            let next = index + 1 < starts.count ? first + index + 1 : nil
            (first + index).initialize(to: curl_slist(data: firstByte + start, next: next))
        }
        return first
    }
}
