/// The encodings of text by the names that servers use for them.
enum Charset {
    /// Returns the encoding of a charset. `nil` if it is unknown, or if the linked Foundation can't decode it:
    /// FoundationEssentials has only US-ASCII, ISO-8859-1, Macintosh and UTF-8, UTF-16 and UTF-32.
    static func encoding(named name: String) -> String.Encoding? {
        let name = ASCII.lowercased(name)
        let key = (name.hasPrefix("x-") ? name.dropFirst(2) : name[...]).filter { $0 != "-" && $0 != "_" }
        // Four zero bytes are text in every encoding.
        return encodings[key].flatMap { String(data: Data(count: 4), encoding: $0) == nil ? nil : $0 }
    }

    /// By names in lowercase, without `-`, `_` and a leading `x-`.
    private static let encodings: [String: String.Encoding] = {
        var encodings: [String: String.Encoding] = [
            "usascii": .ascii, "ascii": .ascii, "utf8": .utf8,
            "utf16": .utf16, "utf16le": .utf16LittleEndian, "utf16be": .utf16BigEndian,
            "utf32": .utf32, "utf32le": .utf32LittleEndian, "utf32be": .utf32BigEndian,
            "iso88591": .isoLatin1, "latin1": .isoLatin1, "l1": .isoLatin1, "macintosh": .macOSRoman,
            "shiftjis": .shiftJIS, "sjis": .shiftJIS, "mskanji": .shiftJIS, "iso2022jp": .iso2022JP,
        ]
        // Foundation names only some of Core Foundation's encodings.
        let others: [String: UInt] = [
            "latin2": 0x202, "latin9": 0x20F, "koi8r": 0xA02, "koi8u": 0xA08, "big5": 0xA03, "euckr": 0x940,
            "gb2312": 0x632, "gbk": 0x632, "gb18030": 0x632,
        ]
        let windows = [1252, 1250, 1251, 1253, 1254, 1255, 1256, 1257, 1258].enumerated().flatMap { offset, page in
            ["windows\(page)", "cp\(page)"].map { ($0, 0x500 + UInt(offset)) }
        }
        // There is no ISO-8859-12.
        let iso = (2...16).filter { $0 != 12 }.map { ("iso8859\($0)", 0x200 + UInt($0)) }
        for (name, number) in Array(others) + windows + iso {
            encodings[name] = String.Encoding(rawValue: 0x8000_0000 | number)
        }
        return encodings
    }()
}
