extension HPACK {
    /// The error for a field block that can't be decoded.
    struct Malformed: Error {}

    /// A decoder for the field blocks of one connection.
    struct Decoder {
        typealias Field = (name: String, value: String)

        /// The fields of the dynamic table, newest first.
        private var dynamicTable: [Field] = []
        private var maximumSize = 4096

        mutating func decode(_ block: [UInt8]) throws -> [Field] {
            var fields: [Field] = []
            var rest = block[...]
            while let first = rest.first {
                switch first {
                case 0x80...: fields.append(try field(at: HPACK.readInteger(&rest, prefix: 7)))
                case 0x40...:
                    let field = try readLiteral(&rest, prefix: 6)
                    fields.append(field)
                    dynamicTable.insert(field, at: 0)
                    evict()
                case 0x20...:
                    maximumSize = try HPACK.readInteger(&rest, prefix: 5)
                    evict()
                default: fields.append(try readLiteral(&rest, prefix: 4))
                }
            }
            return fields
        }

        private func field(at index: Int) throws -> Field {
            let table = HPACK.staticTable
            switch index - 1 {
            case 0..<table.count: return table[index - 1]
            case table.count..<table.count + dynamicTable.count: return dynamicTable[index - 1 - table.count]
            default: throw Malformed()
            }
        }

        private func readLiteral(_ rest: inout ArraySlice<UInt8>, prefix: Int) throws -> Field {
            let index = try HPACK.readInteger(&rest, prefix: prefix)
            let name = try index == 0 ? HPACK.readString(&rest) : field(at: index).name
            return (name, try HPACK.readString(&rest))
        }

        /// Removes the oldest fields until the table isn't too large (RFC 7541 §4.1).
        private mutating func evict() {
            var size = dynamicTable.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 32 }
            while size > maximumSize, let oldest = dynamicTable.popLast() {
                size -= oldest.name.utf8.count + oldest.value.utf8.count + 32
            }
        }
    }

    static func readInteger(_ rest: inout ArraySlice<UInt8>, prefix bits: Int) throws -> Int {
        guard let first = rest.popFirst() else { throw Malformed() }
        let limit = 1 << bits - 1
        var value = Int(first) & limit
        guard value == limit else { return value }
        for shift in stride(from: 0, to: 28, by: 7) {
            guard let byte = rest.popFirst() else { throw Malformed() }
            value += Int(byte & 0x7F) << shift
            if byte < 0x80 { return value }
        }
        throw Malformed()
    }

    static func readString(_ rest: inout ArraySlice<UInt8>) throws -> String {
        let isHuffmanCoded = (rest.first ?? 0) >= 0x80
        let count = try readInteger(&rest, prefix: 7)
        guard count <= rest.count else { throw Malformed() }
        defer { rest = rest.dropFirst(count) }
        let bytes = rest.prefix(count)
        return String(decoding: isHuffmanCoded ? try Huffman.decode(bytes) : Array(bytes), as: UTF8.self)
    }
}
