import Requests
import RequestsClient
import RequestsTesting

/// Cases about invalid field blocks and decompression bombs (RFC 7541).
extension TransportConformance.HostileExchange {
    static let fieldBlocks: [Self] = valid + invalid + bombs

    private static let ok = HPACK.indexed(8)

    private static let valid: [Self] = [
        block("hpack.indexed", "a status from the static table is valid (§6.1)", .response, ok),
        block(
            "hpack.neverIndexed",
            "a field can be never indexed (§6.2.3)",
            .response,
            ok + HPACK.literal("x", "y", indexing: .never)
        ),
        block(
            "hpack.tableSize",
            "the size of the table can change before a block (§4.2)",
            .response,
            HPACK.tableSize(0) + HPACK.tableSize(4096) + ok
        ),
        block(
            "hpack.dynamic",
            "a field can be added and used again (§6.2.1)",
            .response,
            ok + HPACK.literal("x", "y", indexing: .incremental) + HPACK.indexed(62)
        ),
        block(
            "hpack.tooLargeForTable",
            "a field larger than the table empties it (§4.4)",
            .response,
            ok + tooLargeForTable
        ),
        // 00011 is the Huffman code of "a", and the ones after it are padding.
        block("hpack.huffman", "a string can have a Huffman code (§5.2)", .response, ok + [0, 0x81, 0x1F, 0x81, 0x1F]),
    ]

    /// Field blocks that can't be decoded, which are connection errors (RFC 9113 §4.3).
    private static let invalid: [Self] = [
        fault("indexZero", "the index 0 (§6.1)", [0x80]),
        fault("emptyTable", "an index of an empty table (§2.3.3)", HPACK.indexed(62)),
        fault("farIndex", "an index of a million (§2.3.3)", HPACK.indexed(1_000_000)),
        fault("nameOutOfTable", "a name of an empty table (§2.3.3)", HPACK.literal(nameAt: 62, "x")),
        fault("evicted", "an index of a field that didn't fit (§4.4)", tooLargeForTable + HPACK.indexed(62)),
        fault("hugeInteger", "an integer of 70 bits (§5.1)", Array(repeating: 0xFF, count: 11) + [0x7F]),
        fault("endlessInteger", "an integer of 1000 bytes (§5.1)", [0xFF] + Array(repeating: 0x80, count: 1000) + [0]),
        fault("truncatedInteger", "an integer that doesn't end (§5.1)", [0xFF]),
        fault("truncatedName", "a name longer than its block (§5.2)", [0, 5, 120]),
        fault("truncatedValue", "a value longer than its block (§5.2)", [0, 1, 120, 5, 121]),
        fault("missingValue", "a name without a value (§6.2)", [0, 1, 120]),
        fault("endOfString", "the end-of-string symbol (§5.2)", [0, 0x84, 0xFF, 0xFF, 0xFF, 0xFF, 1, 121]),
        fault("longPadding", "a Huffman code with 11 bits of padding (§5.2)", [0, 0x82, 0x1F, 0xFF, 1, 121]),
        fault("zeroPadding", "a Huffman code padded with zeros (§5.2)", [0, 0x81, 0x18, 1, 121]),
        fault("tableSizeInside", "a change of the table inside a block (§4.2)", HPACK.tableSize(0)),
        block(
            "hpack.tableTooLarge",
            "a table larger than the client allows is a connection error (§6.3)",
            .connectionError,
            HPACK.tableSize(1 << 24) + ok
        ),
        block(
            "hpack.removed",
            "an index of a field that a smaller table dropped is a connection error (§4.3)",
            .connectionError,
            HPACK.tableSize(0) + ok + HPACK.literal("x", "y", indexing: .incremental) + HPACK.indexed(62)
        ),
    ]

    private static func fault(_ name: String, _ subject: String, _ bytes: [UInt8]) -> Self {
        block("hpack.\(name)", "\(subject) is a connection error", .connectionError, ok + bytes)
    }

    /// Small field blocks that decode to large heads.
    private static let bombs: [Self] = [
        block("bomb.references", "12,000 references to a field of 4 KB are too large", .tooLarge, ok + bomb),
        repeated("staticReferences", HPACK.indexed(16)), repeated("statuses", ok),
        repeated("tinyFields", HPACK.indexed(62), after: HPACK.literal("x", "", indexing: .incremental)),
        frames("bomb.longValue", "a value of 1 MiB is too large", .tooLarge) {
            split(ok + HPACK.literal("x", oneMiB), on: $0) + [.data("hello", on: $0)]
        },
        frames("bomb.longName", "a name of 1 MiB is too large", .tooLarge) {
            split(ok + HPACK.literal(oneMiB, "x"), on: $0) + [.data("hello", on: $0)]
        },
        frames("bomb.trailers", "trailers of 48 MB are too large", .tooLarge.or(.cut)) {
            [
                Stream.head(on: $0), .data("hello", on: $0, endStream: false),
                .headers(block: bomb, on: $0, endStream: true),
            ]
        },
        frames("bomb.informational", "an informational head of 48 MB is too large", .tooLarge) {
            [.headers(block: HPACK.literal(":status", "103") + bomb, on: $0)] + Stream.response(on: $0)
        },
    ]

    private static func repeated(_ name: String, _ field: [UInt8], after first: [UInt8] = []) -> Self {
        let fields = first + Array(repeatElement(field, count: 16_000).joined())
        return block("bomb.\(name)", "16,000 fields in one frame are too large", .tooLarge, ok + fields)
    }

    private static let oneMiB = String(repeating: "y", count: 1 << 20)

    private static let tooLargeForTable = HPACK.literal(
        "x",
        String(repeating: "y", count: 5000),
        indexing: .incremental
    )

    private static let bomb =
        HPACK.literal("x", String(repeating: "y", count: 4000), indexing: .incremental)
        + Array(repeatElement(HPACK.indexed(62), count: 12_000).joined())

    /// Returns a head, split into frames of the maximum size that every client accepts.
    private static func split(_ block: [UInt8], on stream: UInt32) -> [HTTP2.Frame] {
        let parts = stride(from: 0, to: block.count, by: 16_384).map {
            Array(block[$0..<min($0 + 16_384, block.count)])
        }
        return parts.enumerated().map { index, part in
            let isLast = index == parts.count - 1
            return index == 0
                ? .headers(block: part, on: stream, endHeaders: isLast)
                : .continuation(block: part, on: stream, endHeaders: isLast)
        }
    }
}
