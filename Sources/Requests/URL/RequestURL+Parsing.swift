extension RequestURL {
    /// The positions of the parts of a URL, as byte offsets. The host starts after `://`, the path after the authority.
    @usableFromInline struct Layout: Sendable {
        @usableFromInline var isSecure: Bool
        var port: UInt16?
        var hostStart: UInt32
        var hostEnd: UInt32
        var pathStart: UInt32
        var pathEnd: UInt32
        /// The end of the query, or of the path if there is no query.
        var targetEnd: UInt32
    }

    /// The part of a URL that is wrong, as byte offsets.
    enum Fault: Error {
        case missingScheme
        case unsupportedScheme(Range<Int>)
        case missingHost
        case invalidHost(Range<Int>)
        case invalidPort(Range<Int>)
        case userInfo(before: Range<Int>)
        case dotSegment(Range<Int>, in: Range<Int>)
    }

    /// Reads `scheme://host:port/path?query#fragment` from left to right, in one pass.
    ///
    /// Specification: RFC 3986 §3.
    @safe struct Parser {
        private let bytes: UnsafeBufferPointer<UInt8>
        private var index = 0
        /// Whether the URL needs no normalization, so far.
        private(set) var isNormal = true

        init(_ bytes: UnsafeBufferPointer<UInt8>) { unsafe self.bytes = unsafe bytes }
    }
}

extension RequestURL.Parser {
    typealias Fault = RequestURL.Fault

    private var next: UInt8? { unsafe index < bytes.count ? bytes[index] : nil }

    mutating func parse() throws(Fault) -> RequestURL.Layout {
        let isSecure = try skipScheme()
        let hostStart = index
        let (hostEnd, portStart) = try skipAuthority()
        let port = if let portStart { try readPort(portStart..<index) } else { nil as UInt16? }
        let pathStart = index
        try skipPath()
        let pathEnd = index
        skip(PercentEncoding.query) { $0 == UInt8(ascii: "#") }
        let targetEnd = index
        if next != nil { index += 1 }
        skip(PercentEncoding.query) { _ in false }
        return RequestURL.Layout(
            isSecure: isSecure,
            port: port,
            hostStart: UInt32(clamping: hostStart),
            hostEnd: UInt32(clamping: hostEnd),
            pathStart: UInt32(clamping: pathStart),
            pathEnd: UInt32(clamping: pathEnd),
            targetEnd: UInt32(clamping: targetEnd)
        )
    }

    /// - Returns: Whether the scheme is `https`.
    private mutating func skipScheme() throws(Fault) -> Bool {
        let isSecure = skip("https://")
        guard isSecure || skip("http://") else { throw schemeFault }
        return isSecure
    }

    /// Skips a prefix in any case.
    private mutating func skip(_ prefix: StaticString) -> Bool {
        guard unsafe prefix.utf8CodeUnitCount <= bytes.count else { return false }
        var isLowercase = true
        for index in 0..<prefix.utf8CodeUnitCount {
            let (byte, expected) = unsafe (bytes[index], prefix.utf8Start[index])
            guard byte != expected else { continue }
            guard ASCII.lowercased(byte) == expected else { return false }
            isLowercase = false
        }
        index = prefix.utf8CodeUnitCount
        isNormal = isLowercase
        return true
    }

    private var schemeFault: Fault {
        guard let end = unsafe bytes.firstIndex(of: UInt8(ascii: ":")) else { return .missingScheme }
        let scheme = unsafe String(decoding: bytes[..<end], as: UTF8.self)
        if ["http", "https"].contains(ASCII.lowercased(scheme)) { return .missingHost }
        // Only `://` ends a scheme. The text before any other colon may be a secret and isn't shown.
        let isScheme = unsafe bytes[end...].starts(with: "://".utf8)
        return isScheme && ByteSet(alphanumericsAnd: "+-.").containsAll(of: scheme)
            ? .unsupportedScheme(0..<end) : .missingScheme
    }

    /// - Returns: The end of the host, and the start of the port after a colon.
    private mutating func skipAuthority() throws(Fault) -> (hostEnd: Int, portStart: Int?) {
        let start = index
        var (colon, at): (Int?, Int?)
        scan: while let byte = next {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"): break
            case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"): break scan
            case UInt8(ascii: "@"): at = index
            case UInt8(ascii: ":"): colon = colon ?? index
            // The colons of an IPv6 address.
            case UInt8(ascii: "]"): colon = nil
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), 128...: isNormal = false
            default: break
            }
            index += 1
        }
        if let at { throw .userInfo(before: at..<index) }
        let hostEnd = colon ?? index
        guard start < hostEnd else { throw .missingHost }
        let host = unsafe UnsafeBufferPointer(rebasing: bytes[start..<hostEnd])
        if unsafe !HostName.isName(host) {
            let text = unsafe String(decoding: host, as: UTF8.self)
            guard let canonical = HostName.ascii(text) else { throw .invalidHost(start..<hostEnd) }
            if canonical != text { isNormal = false }
        }
        return (hostEnd, colon.map { $0 + 1 })
    }

    private mutating func readPort(_ digits: Range<Int>) throws(Fault) -> UInt16? {
        guard !digits.isEmpty else {
            isNormal = false
            return nil
        }
        var port: UInt16 = 0
        for index in digits {
            let byte = unsafe bytes[index]
            let next = Int(port) * 10 + Int(byte &- UInt8(ascii: "0"))
            guard byte.isDigit, let next = UInt16(exactly: next) else { throw .invalidPort(digits) }
            port = next
        }
        return port
    }

    private mutating func skipPath() throws(Fault) {
        let start = index
        skip(PercentEncoding.path) { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
        let path = unsafe UnsafeBufferPointer(rebasing: bytes[start..<index])
        guard let dots = unsafe PathSegments.firstDots(in: path) else { return }
        throw .dotSegment(start + dots.lowerBound..<start + dots.upperBound, in: start..<index)
    }

    /// Skips a part of the URL. A byte that isn't allowed either ends it or must be encoded.
    private mutating func skip(_ allowed: ByteSet, until isEnd: (UInt8) -> Bool) {
        while let byte = next {
            if !allowed.contains(byte) {
                if isEnd(byte) { return }
                if unsafe !PercentEncoding.startsEscape(bytes[index...]) { isNormal = false }
            }
            index += 1
        }
    }
}
