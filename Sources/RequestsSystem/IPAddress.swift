/// An IP address.
package struct IPAddress: Hashable, Sendable {
    /// 4 bytes for IPv4, or 16 for IPv6.
    package let bytes: [UInt8]

    package init(bytes: [UInt8]) { self.bytes = bytes }

    /// Parses an IP address, which may be in brackets. Returns `nil` for anything else.
    package init?(_ host: String) {
        guard !host.utf8.contains(0) else { return nil }
        let text = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
        var (v4, v6) = (in_addr(), in6_addr())
        if unsafe inet_pton(AF_INET, text, &v4) == 1 {
            bytes = unsafe withUnsafeBytes(of: &v4) { unsafe Array($0) }
        } else if unsafe inet_pton(AF_INET6, text, &v6) == 1 {
            bytes = unsafe withUnsafeBytes(of: &v6) { unsafe Array($0) }
        } else {
            return nil
        }
    }

    /// The IPv4 address in an IPv6 address that the system or a gateway translates: `::ffff:0:0/96` (RFC 4291 §2.5.5.2)
    /// and `64:ff9b::/96` (RFC 6052 §2.1).
    package var embedded: IPAddress? {
        let prefixes: [[UInt8]] = [
            [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF], [0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0],
        ]
        guard bytes.count == 16, prefixes.contains(where: { bytes.starts(with: $0) }) else { return nil }
        return IPAddress(bytes: Array(bytes.suffix(4)))
    }
}

/// A range of IP addresses with a common prefix (RFC 4632).
package struct IPNetwork: Hashable, Sendable {
    private let address: IPAddress
    private let prefixLength: Int

    /// Parses an address with or without a prefix length: `10.0.0.0/8` or `::1`. Returns `nil` for anything else.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = IPAddress(String(parts[0])) else { return nil }
        let bits = address.bytes.count * 8
        self.address = address
        guard parts.count == 2 else {
            prefixLength = bits
            return
        }
        guard (1...3).contains(parts[1].utf8.count), parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let length = Int(parts[1]), length <= bits
        else { return nil }
        prefixLength = length
    }

    package func contains(_ other: IPAddress) -> Bool {
        guard other.bytes.count == address.bytes.count else { return false }
        let (whole, rest) = (prefixLength / 8, prefixLength % 8)
        guard other.bytes.prefix(whole) == address.bytes.prefix(whole) else { return false }
        guard rest > 0 else { return true }
        let mask = UInt8(truncatingIfNeeded: 0xFF << (8 - rest))
        return other.bytes[whole] & mask == address.bytes[whole] & mask
    }
}
