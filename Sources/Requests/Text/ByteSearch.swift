#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Finds a pattern in bytes, in time that is linear in both (Knuth, Morris and Pratt).
///
/// A server can choose a pattern and bytes for which a simple search takes quadratic time.
package struct ByteSearch: Sendable {
    private let pattern: [UInt8]
    /// For each prefix of the pattern, the length of its longest proper prefix that is also its suffix.
    private let borders: [Int]

    /// - Parameter pattern: The bytes to find, at least one.
    package init(_ pattern: [UInt8]) {
        var borders = [0]
        var length = 0
        for byte in pattern.dropFirst() {
            while length > 0, pattern[length] != byte { length = borders[length - 1] }
            if pattern[length] == byte { length += 1 }
            borders.append(length)
        }
        (self.pattern, self.borders) = (pattern, borders)
    }

    package func firstMatch(in data: Data) -> Range<Data.Index>? { matches(in: data, limit: 1).first }

    /// Returns the matches that don't overlap, in order.
    package func matches(in data: Data, limit: Int = .max) -> [Range<Data.Index>] {
        var matches: [Range<Data.Index>] = []
        unsafe data.withUnsafeBytes { bytes in
            var length = 0
            for offset in bytes.indices {
                let byte = unsafe bytes[offset]
                while length > 0, pattern[length] != byte { length = borders[length - 1] }
                if pattern[length] == byte { length += 1 }
                guard length == pattern.count else { continue }
                let end = data.startIndex + offset + 1
                matches.append((end - length)..<end)
                if matches.count == limit { return }
                length = 0
            }
        }
        return matches
    }
}

extension UnsafeRawBufferPointer {
    /// Returns the position of a byte. Uses the system's function, because a loop is several times slower.
    func firstIndex(of byte: UInt8, in range: Range<Int>) -> Int? {
        guard let start = baseAddress,
            let found = unsafe memchr(start + range.lowerBound, Int32(byte), range.count)
        else { return nil }
        return unsafe UnsafeRawPointer(found) - start
    }
}
