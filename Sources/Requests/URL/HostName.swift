#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The rules for the host of a URL.
///
/// Specification: RFC 3986 §3.2.2, limited to DNS names (also with `_`), IPv4 and IPv6 addresses. Percent-encoded hosts
/// are rejected.
package enum HostName {
    private static let nameBytes = ByteSet(alphanumericsAnd: "-._")

    /// Whether a host is a DNS name or an IPv4 address.
    static func isName(_ host: UnsafeBufferPointer<UInt8>) -> Bool {
        guard host.count <= 255, let label = unsafe lastLabel(of: host) else { return false }
        return unsafe !isNumber(host[label]) || isIPv4(host)
    }

    /// Returns the last label of a name. `nil` if a byte isn't allowed or a label but the one of the root is empty.
    private static func lastLabel(of name: UnsafeBufferPointer<UInt8>) -> Range<Int>? {
        let allowed = nameBytes
        var (label, start) = (0..<0, 0)
        for index in name.indices {
            let byte = unsafe name[index]
            guard allowed.contains(byte) else { return nil }
            guard byte == UInt8(ascii: ".") else { continue }
            guard start < index else { return nil }
            (label, start) = (start..<index, index + 1)
        }
        if start < name.count { label = start..<name.count }
        return label.isEmpty ? nil : label
    }

    /// Whether a last label is a decimal or hexadecimal number, so that some software reads the host as an address
    /// (WHATWG URL, “ends in a number”).
    private static func isNumber(_ label: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        guard unsafe label.first?.isDigit == true else { return false }
        if unsafe label.allSatisfy(\.isDigit) { return true }
        return unsafe label.starts(with: "0x".utf8) { ASCII.lowercased($0) == $1 }
            && label.dropFirst(2).allSatisfy { Character(UnicodeScalar($0)).isHexDigit }
    }

    private static func isIPv4(_ host: UnsafeBufferPointer<UInt8>) -> Bool {
        var address = in_addr()
        return unsafe inet_pton(AF_INET, String(decoding: host, as: UTF8.self), &address) == 1
    }

    /// Returns the host in lowercase ASCII, with IDNA applied and the one spelling of an IPv6 address. `nil` if it
    /// isn't a valid host.
    package static func ascii(_ host: some StringProtocol) -> String? {
        let host = String(host)
        if host.utf8.first == UInt8(ascii: "[") { return ipv6(host) }
        if host.withBytes({ unsafe isName($0) }) { return ASCII.lowercased(host) }
        guard host.utf8.contains(where: { $0 > 127 }), !host.utf8.contains(PercentEncoding.percent) else { return nil }
        // Foundation applies UTS 46. It percent-encodes or rejects an invalid name.
        guard let converted = URL(string: "http://\(host)/")?.absoluteString.dropFirst(7).dropLast() else { return nil }
        let name = String(converted)
        return name.withBytes { unsafe isName($0) } ? ASCII.lowercased(name) : nil
    }

    /// Returns an address in brackets as RFC 5952 writes it, because two spellings would be two origins. Not with
    /// `inet_ntop`, whose text depends on the platform. `nil` if it isn't an address.
    private static func ipv6(_ host: String) -> String? {
        let written = String(Substring(host.utf8.dropFirst().dropLast()))
        var address = in6_addr()
        guard host.utf8.last == UInt8(ascii: "]"), !written.utf8.contains(0) else { return nil }
        guard unsafe inet_pton(AF_INET6, written, &address) == 1 else { return nil }
        let bytes = unsafe withUnsafeBytes(of: address) { unsafe Array($0) }
        let groups = stride(from: 0, to: 16, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
        if groups.starts(with: [0, 0, 0, 0, 0, 0xFFFF]) {
            return "[::ffff:\(bytes[12...].map(String.init).joined(separator: "."))]"
        }
        let text = ":\(groups.map { String($0, radix: 16) }.joined(separator: ":")):"
        // The first of the longest runs of zeros, if it isn't a single group.
        for count in (2...8).reversed() {
            guard let run = text.firstRange(of: ":" + String(repeating: "0:", count: count)) else { continue }
            return "[\(text[..<run.lowerBound].dropFirst())::\(text[run.upperBound...].dropLast())]"
        }
        return "[\(text.dropFirst().dropLast())]"
    }
}
