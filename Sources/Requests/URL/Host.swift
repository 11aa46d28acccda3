import Foundation

/// The rules for the host of a URL.
///
/// Specification: RFC 3986 §3.2.2, limited to DNS names (also with `_`), IPv4 and IPv6 addresses. Percent-encoded hosts
/// are rejected.
enum Host {
    private static let nameBytes = ByteSet(alphanumericsAnd: "-._")

    static func isValid(_ host: Substring) -> Bool {
        guard host.utf8.first != UInt8(ascii: "[") else {
            return host.utf8.last == UInt8(ascii: "]") && isIPv6(String(host.dropFirst().dropLast()))
        }
        let isName = host.utf8.allSatisfy(nameBytes.contains) && host.utf8.count <= 255
        return isName && !host.utf8.starts(with: ".".utf8) && !host.contains("..")
    }

    /// Returns the host in lowercase ASCII, with IDNA applied. `nil` if it isn't a valid host.
    static func ascii(_ host: Substring) -> String? {
        if isValid(host) { return ASCII.lowercased(host) }
        guard host.utf8.contains(where: { $0 > 127 }), !host.utf8.contains(PercentEncoding.percent) else { return nil }
        // Foundation applies UTS 46. It percent-encodes or rejects an invalid name.
        guard let converted = URL(string: "http://\(host)/")?.absoluteString.dropFirst(7).dropLast() else { return nil }
        return isValid(converted) ? ASCII.lowercased(converted) : nil
    }

    private static func isIPv6(_ text: String) -> Bool {
        var address = in6_addr()
        return !text.utf8.contains(0) && inet_pton(AF_INET6, text, &address) == 1
    }
}
