/// A text in UTF-16 or UTF-32, which must become UTF-8 before the rules for secrets can read it.
package struct UnicodeText {
    private let encoding: String.Encoding
    private let mark: Data
    private let content: Data

    private var isWide: Bool { [.utf32LittleEndian, .utf32BigEndian].contains(encoding) }
    private var isBigEndian: Bool { [.utf16BigEndian, .utf32BigEndian].contains(encoding) }

    /// Detects the encoding by the first bytes, or by the media type's charset. Returns `nil` for UTF-8 and other
    /// encodings.
    package init?(_ data: Data, _ type: MediaType?) {
        let charset = type?.parameters.first { $0.name == "charset" }.map { ASCII.lowercased($0.value) } ?? ""
        let declared: String.Encoding? =
            switch (charset.prefix(6), charset.hasSuffix("le")) {
            case ("utf-16", false): .utf16BigEndian
            case ("utf-16", true): .utf16LittleEndian
            case ("utf-32", false): .utf32BigEndian
            case ("utf-32", true): .utf32LittleEndian
            default: nil
            }
        guard let detected = JSONText.encoding(of: data) ?? declared.map({ ($0, 0) }) else { return nil }
        encoding = detected.encoding
        mark = data.prefix(detected.markLength)
        content = data.dropFirst(detected.markLength)
    }

    /// The text in UTF-8. Invalid characters are replaced.
    package var utf8: Data {
        isWide
            ? Data(String(decoding: units(UInt32.self), as: UTF32.self).utf8)
            : Data(String(decoding: units(UInt16.self), as: UTF16.self).utf8)
    }

    /// Returns UTF-8 text converted to the encoding of this text, with the same byte order mark.
    package func encoding(_ utf8: Data) -> Data {
        mark + (String(decoding: utf8, as: UTF8.self).data(using: encoding) ?? Data())
    }

    private func units<Unit: FixedWidthInteger>(_: Unit.Type) -> [Unit] {
        let size = Unit.bitWidth / 8
        let bytes = Array(content)
        return stride(from: 0, to: bytes.count - bytes.count % size, by: size).map { start in
            let unit = bytes[start..<start + size]
            return (isBigEndian ? Array(unit) : unit.reversed()).reduce(0) { $0 << 8 | Unit($1) }
        }
    }
}
