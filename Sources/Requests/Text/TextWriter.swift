/// Writes text into temporary memory, which is on the stack for text of usual length.
@safe struct TextWriter {
    private let memory: UnsafeMutableBufferPointer<UInt8>
    private(set) var count = 0
    private var isTooLong = false

    /// Returns the written text as a string.
    ///
    /// - Parameters:
    ///   - room: The initial capacity in bytes.
    ///   - write: Writes the text. Runs again with a larger capacity if the text didn't fit.
    static func text(room: Int = 1024, _ write: (inout TextWriter) -> Void) -> String {
        withBytes(room: room, write) { unsafe String(decoding: $0, as: UTF8.self) }
    }

    @safe static func withBytes<Result>(
        room: Int,
        _ write: (inout TextWriter) -> Void,
        _ read: (UnsafeBufferPointer<UInt8>) -> Result
    ) -> Result {
        var room = room
        while true {
            let result: Result? = unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: room) { memory in
                var writer = unsafe TextWriter(memory: memory)
                write(&writer)
                return unsafe writer.isTooLong ? nil : read(UnsafeBufferPointer(rebasing: memory[..<writer.count]))
            }
            if let result { return result }
            room = max(room * 4, 1024)
        }
    }

    mutating func append(_ byte: UInt8) {
        guard hasRoom(for: 1) else { return }
        unsafe memory[count] = byte
        count += 1
    }

    mutating func append(_ text: Slice<UnsafeBufferPointer<UInt8>>) {
        let length = unsafe text.count
        guard hasRoom(for: length), let source = unsafe text.base.baseAddress, let start = unsafe memory.baseAddress
        else { return }
        unsafe (start + count).update(from: source + text.startIndex, count: length)
        count += length
    }

    mutating func removeLast(while byte: UInt8) {
        while count > 0, unsafe memory[count - 1] == byte { count -= 1 }
    }

    /// Appends text with every byte outside `allowed` encoded.
    ///
    /// - Parameter keepsEscapes: Whether the text may already be encoded, so that a valid `%XX` stays.
    mutating func append(_ text: UnsafeBufferPointer<UInt8>, keeping allowed: ByteSet, keepsEscapes: Bool) {
        guard hasRoom(for: 3 * text.count) else { return }
        // Local copies spare the optimizer reloading the properties after each write.
        let memory = unsafe memory
        var end = count
        for index in text.indices {
            let byte = unsafe text[index]
            let stays =
                unsafe allowed.contains(byte)
                || keepsEscapes && byte == PercentEncoding.percent && PercentEncoding.startsEscape(text[index...])
            if stays {
                unsafe memory[end] = byte
                end &+= 1
            } else {
                unsafe memory[end] = PercentEncoding.percent
                unsafe memory[end &+ 1] = TextWriter.hexDigit(byte >> 4)
                unsafe memory[end &+ 2] = TextWriter.hexDigit(byte & 15)
                end &+= 3
            }
        }
        count = end
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }

    private mutating func hasRoom(for length: Int) -> Bool {
        isTooLong = unsafe isTooLong || length > memory.count - count
        return !isTooLong
    }
}
