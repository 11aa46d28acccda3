/// Writes a text into memory that has room for all of it from the start.
struct TextWriter {
    private let memory: UnsafeMutableBufferPointer<UInt8>
    private(set) var count = 0

    /// Makes a text of what is written; a text of usual length takes no memory but its own.
    ///
    /// - Parameter capacity: The most bytes that can be written.
    static func text(capacity: Int, _ write: (inout TextWriter) -> Void) -> String {
        withBytes(capacity: capacity, write) { String(decoding: $0, as: UTF8.self) }
    }

    static func withBytes<Result>(
        capacity: Int,
        _ write: (inout TextWriter) -> Void,
        _ read: (UnsafeBufferPointer<UInt8>) -> Result
    ) -> Result {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: capacity) { memory in
            var writer = TextWriter(memory: memory)
            write(&writer)
            return read(UnsafeBufferPointer(rebasing: memory[..<writer.count]))
        }
    }

    mutating func append(_ byte: UInt8) {
        makeSureOfRoom(for: 1)
        memory[count] = byte
        count += 1
    }

    mutating func append(_ text: Slice<UnsafeBufferPointer<UInt8>>) {
        makeSureOfRoom(for: text.count)
        _ = memory[count...].update(fromContentsOf: text)
        count += text.count
    }

    mutating func removeLast(while byte: UInt8) {
        while count > 0, memory[count - 1] == byte { count -= 1 }
    }

    /// Appends text with every byte outside `allowed` encoded, which takes room for three times the text.
    ///
    /// - Parameter keepsEscapes: Whether a `%XX` stays: the text may be encoded already.
    mutating func append(_ text: UnsafeBufferPointer<UInt8>, keeping allowed: ByteSet, keepsEscapes: Bool) {
        makeSureOfRoom(for: 3 * text.count)
        // Copies of what the writer holds: nothing that is written here can change them.
        let memory = memory
        var end = count
        for index in text.indices {
            let byte = text[index]
            if allowed.contains(byte)
                || keepsEscapes && byte == PercentEncoding.percent && PercentEncoding.startsEscape(text[index...])
            {
                memory[end] = byte
                end += 1
            } else {
                memory[end] = PercentEncoding.percent
                memory[end + 1] = TextWriter.hexDigit(byte >> 4)
                memory[end + 2] = TextWriter.hexDigit(byte & 15)
                end += 3
            }
        }
        count = end
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }

    /// Asked once for each piece, not for each byte.
    private func makeSureOfRoom(for length: Int) {
        precondition(length <= memory.count - count, "text is longer than was said")
    }
}
