/// An encoder for header fields in HTTP/2 (RFC 7541) that doesn't use Huffman codes.
///
/// Each function returns a part of a field block. Join the parts with `+`.
package enum HPACK {
    /// The effect of a literal field on the client's dynamic table.
    package enum Indexing: UInt8, Sendable {
        /// The field is added to the table (RFC 7541 §6.2.1).
        case incremental = 0x40
        /// The field isn't added to the table (RFC 7541 §6.2.2).
        case none = 0
        /// The field isn't added, and intermediaries must not add it either (RFC 7541 §6.2.3).
        case never = 0x10

        fileprivate var prefix: Int { self == .incremental ? 6 : 4 }
    }

    /// Returns fields as literals that aren't added to the dynamic table.
    package static func block(_ fields: KeyValuePairs<String, String>) -> [UInt8] {
        fields.flatMap { literal($0, $1) }
    }

    /// Returns a field with a literal name.
    package static func literal(_ name: String, _ value: String, indexing: Indexing = .none) -> [UInt8] {
        [indexing.rawValue] + string(name.utf8) + string(value.utf8)
    }

    /// Returns a field whose name is taken from a table: index 1 to 61 for the static table, then the dynamic table.
    package static func literal(nameAt index: Int, _ value: String, indexing: Indexing = .none) -> [UInt8] {
        integer(index, prefix: indexing.prefix, flags: indexing.rawValue) + string(value.utf8)
    }

    /// Returns a reference to a field in a table by its index (RFC 7541 §6.1).
    package static func indexed(_ index: Int) -> [UInt8] { integer(index, prefix: 7, flags: 0x80) }

    /// Returns an update of the dynamic table's maximum size in bytes (RFC 7541 §6.3).
    package static func tableSize(_ size: Int) -> [UInt8] { integer(size, prefix: 5, flags: 0x20) }

    /// Returns a string without a Huffman code (RFC 7541 §5.2).
    package static func string(_ bytes: some Collection<UInt8>) -> [UInt8] {
        integer(bytes.count, prefix: 7) + bytes
    }

    /// Returns an integer that starts in the low bits of its first byte, after flags (RFC 7541 §5.1).
    package static func integer(_ value: Int, prefix bits: Int, flags: UInt8 = 0) -> [UInt8] {
        let limit = 1 << bits - 1
        guard value >= limit else { return [flags | UInt8(value)] }
        var bytes = [flags | UInt8(limit)]
        var rest = value - limit
        while rest >= 0x80 {
            bytes.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        return bytes + [UInt8(rest)]
    }
}
