import RequestsTestSupport

/// Texts that try to leave the place they are put in: delimiters, escapes, line breaks, quotes and half of a character.
struct HostileText: Sequence, IteratorProtocol {
    private var generator: SplitMix64
    private var remaining: Int
    private let pieces: [[UInt8]]

    /// - Parameters:
    ///   - seed: Which texts; the same seed gives the same ones.
    ///   - count: How many.
    ///   - leavingOut: Pieces that are not used.
    init(seed: UInt64, count: Int, leavingOut: Set<String> = []) {
        generator = SplitMix64(seed: seed)
        remaining = count
        pieces = HostileText.pieces.filter { !leavingOut.contains($0) }.map { Array($0.utf8) }
    }

    mutating func next() -> String? {
        guard remaining > 0 else { return nil }
        remaining -= 1
        // As bytes: there are tens of thousands of texts in many a test.
        var text: [UInt8] = []
        for _ in 0..<generator.next() % 7 {
            text += pieces[Int(generator.next() % UInt64(pieces.count))]
        }
        return String(decoding: text, as: UTF8.self)
    }

    static let lineBreaks: Set<String> = ["\r", "\n", "\r\n", "\0"]

    /// The pieces that no field value may contain.
    static let controls = lineBreaks.union(["\u{1B}", "\u{7F}"])

    private static let pieces =
        [
            "/", "\\", "?", "#", "%", "%2F", "%2f", "%2E", "%2e", "%25", "%00", "%0", "%zz", "%C0%AE", ".", "..", "../",
            ";", "&", "=", "+", ",", ":", "@", "!", "$", "*", "(", ")", "[", "]", "{", "}", "|", "<", ">", "^", "~",
            "-", "_", " ", "\t", "'", "\"", "`", "$(echo broken)", "'; echo broken; '", "\u{1B}", "\u{7F}", "\u{85}",
            "\u{2028}", "\u{202E}", "\u{301}", "\u{200D}", "\u{FE0F}", "\u{FEFF}", "é", "ß", "日本", "😀", "a", "Z", "0",
            "x",
        ] + lineBreaks.sorted()
}
