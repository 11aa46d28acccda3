/// Text for octets that are only sent back, as in cookies and entity tags (RFC 9110 §5.5).
///
/// Octets that aren't UTF-8 are private-use characters in the text, so that they become the same octets again, also
/// after the text was stored, or joined with others.
package enum OpaqueOctets {
    /// The character of octet 0x80. Text that contains one of these characters isn't taken as UTF-8.
    private static let first: UInt32 = 0x10FF80
    /// The first byte of these characters in UTF-8, which few texts contain.
    private static let leadByte: UInt8 = 0xF4

    /// Returns the text of octets.
    package static func text(of octets: UnsafeBufferPointer<UInt8>) -> String {
        let text = unsafe String(validating: octets, as: UTF8.self)
        if let text, !text.unicodeScalars.contains(where: isOctet) { return text }
        var characters = String.UnicodeScalarView()
        unsafe octets.forEach { characters.append(character(of: $0)) }
        return String(characters)
    }

    /// Returns the octets of a text. `nil` if they are its UTF-8.
    package static func octets(of text: String) -> [UInt8]? {
        // The first check has no early exit, so that it is vectorized.
        let mayHaveOctets = text.withBytes { unsafe $0.reduce(0, |) >= leadByte && $0.contains(leadByte) }
        guard mayHaveOctets, text.unicodeScalars.contains(where: isOctet) else { return nil }
        return text.unicodeScalars.flatMap {
            isOctet($0) ? [UInt8(truncatingIfNeeded: $0.value)] : Array(String($0).utf8)
        }
    }

    private static func character(of octet: UInt8) -> Unicode.Scalar {
        octet < 0x80 ? Unicode.Scalar(octet) : Unicode.Scalar(first - 0x80 + UInt32(octet)) ?? "\u{FFFD}"
    }

    private static func isOctet(_ character: Unicode.Scalar) -> Bool { character.value >= first }
}
