/// Writes text into temporary memory, which is on the stack for text of usual length.
struct TextWriter {
    private let memory: UnsafeMutableBufferPointer<UInt8>
    private(set) var count = 0
    private var isTooLong = false

    /// Returns the written text as a string.
    ///
    /// - Parameters:
    ///   - room: The initial capacity in bytes.
    ///   - write: Writes the text. Runs again with a larger capacity if the text didn't fit.
    static func text(room: Int = 1024, _ write: (inout TextWriter) -> Void) -> String {
        withBytes(room: room, write) { String(decoding: $0, as: UTF8.self) }
    }

    static func withBytes<Result>(
        room: Int,
        _ write: (inout TextWriter) -> Void,
        _ read: (UnsafeBufferPointer<UInt8>) -> Result
    ) -> Result {
        var room = room
        while true {
            let result: Result? = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: room) { memory in
                var writer = TextWriter(memory: memory)
                write(&writer)
                return writer.isTooLong ? nil : read(UnsafeBufferPointer(rebasing: memory[..<writer.count]))
            }
            if let result { return result }
            room = max(room * 4, 1024)
        }
    }

    mutating func append(_ byte: UInt8) {
        guard hasRoom(for: 1) else { return }
        memory[count] = byte
        count += 1
    }

    mutating func append(_ text: Slice<UnsafeBufferPointer<UInt8>>) {
        guard let source = text.base.baseAddress, let start = memory.baseAddress, hasRoom(for: text.count) else {
            return
        }
        (start + count).update(from: source + text.startIndex, count: text.count)
        count += text.count
    }

    mutating func removeLast(while byte: UInt8) {
        while count > 0, memory[count - 1] == byte { count -= 1 }
    }

    /// Appends text with every byte outside `allowed` encoded.
    ///
    /// - Parameter keepsEscapes: Whether the text may already be encoded, so that a valid `%XX` stays.
    mutating func append(_ text: UnsafeBufferPointer<UInt8>, keeping allowed: ByteSet, keepsEscapes: Bool) {
        guard hasRoom(for: 3 * text.count) else { return }
        // Local copies spare the optimizer reloading the properties after each write.
        let memory = memory
        var end = count
        for index in text.indices {
            let byte = text[index]
            if allowed.contains(byte)
                || keepsEscapes && byte == PercentEncoding.percent && PercentEncoding.startsEscape(text[index...])
            {
                memory[end] = byte
                end &+= 1
            } else {
                memory[end] = PercentEncoding.percent
                memory[end &+ 1] = TextWriter.hexDigit(byte >> 4)
                memory[end &+ 2] = TextWriter.hexDigit(byte & 15)
                end &+= 3
            }
        }
        count = end
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }

    private mutating func hasRoom(for length: Int) -> Bool {
        isTooLong = isTooLong || length > memory.count - count
        return !isTooLong
    }
}
