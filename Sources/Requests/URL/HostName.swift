import Foundation

/// The rules for the host of a URL.
///
/// Specification: RFC 3986 §3.2.2, limited to DNS names (also with `_`), IPv4 and IPv6 addresses. Percent-encoded hosts
/// are rejected.
package enum HostName {
    private static let nameBytes = ByteSet(alphanumericsAnd: "-._")

    static func isValid(_ host: Substring) -> Bool {
        guard host.utf8.first != UInt8(ascii: "[") else {
            return host.utf8.last == UInt8(ascii: "]") && isIPv6(String(host.dropFirst().dropLast()))
        }
        let isName = host.utf8.allSatisfy(nameBytes.contains) && host.utf8.count <= 255
        guard isName, !host.utf8.starts(with: ".".utf8), !host.contains("..") else { return false }
        return !endsInNumber(host.utf8) || isIPv4(String(host))
    }

    /// Whether the last label is a decimal or hexadecimal number, so that some software reads the host as an address
    /// (WHATWG URL, “ends in a number”).
    private static func endsInNumber(_ host: Substring.UTF8View) -> Bool {
        guard let label = host.split(separator: UInt8(ascii: ".")).last else { return false }
        if label.allSatisfy(\.isDigit) { return true }
        return label.starts(with: "0x".utf8) { ASCII.lowercased($0) == $1 }
            && label.dropFirst(2).allSatisfy { Character(UnicodeScalar($0)).isHexDigit }
    }

    private static func isIPv4(_ text: String) -> Bool {
        var address = in_addr()
        return unsafe inet_pton(AF_INET, text, &address) == 1
    }

    /// Returns the host in lowercase ASCII, with IDNA applied. `nil` if it isn't a valid host.
    package static func ascii(_ host: Substring) -> String? {
        if isValid(host) { return ASCII.lowercased(host) }
        guard host.utf8.contains(where: { $0 > 127 }), !host.utf8.contains(PercentEncoding.percent) else { return nil }
        // Foundation applies UTS 46. It percent-encodes or rejects an invalid name.
        guard let converted = URL(string: "http://\(host)/")?.absoluteString.dropFirst(7).dropLast() else { return nil }
        return isValid(converted) ? ASCII.lowercased(converted) : nil
    }

    private static func isIPv6(_ text: String) -> Bool {
        var address = in6_addr()
        return unsafe !text.utf8.contains(0) && inet_pton(AF_INET6, text, &address) == 1
    }
}
