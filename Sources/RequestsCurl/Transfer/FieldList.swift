import CRequestsCurl

/// A header in libcurl's form: a linked list of C strings, in memory that is reused.
///
/// The variables have unchecked exclusivity as in ``Transfer``: only the loop's thread uses them, one call at a time.
@safe final class FieldList {
    @safe @exclusivity(unchecked)
    private var bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 1024, alignment: 1)
    @safe @exclusivity(unchecked) private var nodes = UnsafeMutableBufferPointer<curl_slist>.allocate(capacity: 16)
    @safe @exclusivity(unchecked) private var byteCount = 0
    /// The offset of each line. Not a pointer, because the bytes may move while lines are added.
    @safe @exclusivity(unchecked) private var starts: [Int] = []

    deinit {
        unsafe bytes.deallocate()
        unsafe nodes.deallocate()
    }

    func removeAll() {
        byteCount = 0
        starts.removeAll(keepingCapacity: true)
    }

    func append(_ line: StaticString) {
        starts.append(byteCount)
        unsafe append(text: line.utf8Start, line.utf8CodeUnitCount)
        append(text: "\0")
    }

    /// Adds a field. An empty value is written as `name;`, because `name:` would make libcurl remove the field.
    func append(name: String, value: String) {
        starts.append(byteCount)
        append(text: name)
        append(text: value.isEmpty ? ";" : ": ")
        append(text: value)
        append(text: "\0")
    }

    private func append(text: String) {
        var text = text
        text.withUTF8 { bytes in
            if let start = bytes.baseAddress { unsafe append(text: start, bytes.count) }
        }
    }

    private func append(text: UnsafePointer<UInt8>, _ count: Int) {
        if byteCount + count > bytes.count {
            let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: (byteCount + count) * 2, alignment: 1)
            unsafe larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<byteCount]))
            unsafe bytes.deallocate()
            bytes = unsafe larger
        }
        unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[byteCount...])
            .copyMemory(from: UnsafeRawBufferPointer(start: text, count: count))
        byteCount += count
    }

    /// The list. Valid until the next line is added or removed.
    var list: UnsafeMutablePointer<curl_slist>? {
        if starts.count > nodes.count {
            unsafe nodes.deallocate()
            nodes = .allocate(capacity: starts.count * 2)
        }
        guard let firstByte = unsafe bytes.bindMemory(to: CChar.self).baseAddress, let first = nodes.baseAddress,
            !starts.isEmpty
        else { return nil }
        for (index, start) in starts.enumerated() {
            let next = unsafe index + 1 < starts.count ? first + index + 1 : nil
            unsafe (first + index).initialize(to: curl_slist(data: firstByte + start, next: next))
        }
        return unsafe first
    }
}
