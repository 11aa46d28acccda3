import Foundation

/// The rules for the host of a URL.
///
/// Specification: RFC 3986 §3.2.2, narrowed to what is looked up or connected to: DNS names (with `_`), IPv4 and IPv6
/// addresses. Percent-encoded hosts are refused.
enum Host {
    private static let nameBytes = ByteSet(alphanumericsAnd: "-._")

    static func isValid(_ host: Substring) -> Bool {
        guard host.utf8.first != UInt8(ascii: "[") else {
            return host.utf8.last == UInt8(ascii: "]") && isIPv6(String(host.dropFirst().dropLast()))
        }
        let isName = host.utf8.allSatisfy(nameBytes.contains) && host.utf8.count <= 255
        return isName && !host.utf8.starts(with: ".".utf8) && !host.contains("..")
    }

    /// The host in lower-case ASCII, IDNA applied; `nil` where it is not a host.
    static func ascii(_ host: Substring) -> String? {
        if isValid(host) { return ASCII.lowercased(host) }
        guard host.utf8.contains(where: { $0 > 127 }), !host.utf8.contains(PercentEncoding.percent) else { return nil }
        // Foundation applies UTS 46; what it leaves percent-encoded or cannot read was no name.
        guard let converted = URL(string: "http://\(host)/")?.absoluteString.dropFirst(7).dropLast() else { return nil }
        return isValid(converted) ? ASCII.lowercased(converted) : nil
    }

    private static func isIPv6(_ text: String) -> Bool {
        var address = in6_addr()
        return !text.utf8.contains(0) && inet_pton(AF_INET6, text, &address) == 1
    }
}
