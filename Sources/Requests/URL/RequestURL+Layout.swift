import Foundation

extension RequestURL {
    /// The positions of the parts of a URL, as byte offsets. The host starts after `://`, the path after the authority.
    struct Layout: Sendable {
        var isSecure: Bool
        var port: UInt16?
        var hostStart: UInt32
        var hostEnd: UInt32
        var pathStart: UInt32
        var pathEnd: UInt32
        /// The end of the query, or of the path if there is no query.
        var targetEnd: UInt32
    }
}

extension RequestURL.Layout {
    /// Finds the parts of a URL that needs no normalization, in one pass.
    ///
    /// Nearly every base URL is like this, and every build of a request reads one. Returns `nil` if anything is
    /// unusual, so that the complete parser decides.
    init?(ofNormalized bytes: UnsafeBufferPointer<UInt8>) {
        guard let base = bytes.baseAddress, (8..<65_536).contains(bytes.count) else { return nil }
        isSecure = unsafe memcmp(base, "https://", 8) == 0
        guard unsafe isSecure || memcmp(base, "http://", 7) == 0 else { return nil }
        var scanner = unsafe Scanner(bytes: bytes, index: isSecure ? 8 : 7)
        hostStart = UInt32(scanner.index)
        guard scanner.skipHost() else { return nil }
        hostEnd = UInt32(scanner.index)
        if scanner.next == UInt8(ascii: ":") {
            guard let port = scanner.takePort() else { return nil }
            self.port = port
        }
        pathStart = UInt32(scanner.index)
        guard scanner.skipPath() else { return nil }
        pathEnd = UInt32(scanner.index)
        guard scanner.skipQuery() else { return nil }
        targetEnd = UInt32(scanner.index)
    }
}

/// A position in a URL. Every method returns `false` or `nil` for anything unusual.
@safe private struct Scanner {
    let bytes: UnsafeBufferPointer<UInt8>
    var index: Int

    var next: UInt8? { unsafe index < bytes.count ? bytes[index] : nil }

    /// Skips lowercase letters, digits, `-`, `_` and single dots.
    mutating func skipHost() -> Bool {
        let start = index
        var isAfterDot = true
        var labelStart = index
        while let byte = next {
            let isDot = byte == UInt8(ascii: ".")
            guard
                isDot || byte &- UInt8(ascii: "a") < 26 || byte.isDigit || byte == UInt8(ascii: "-")
                    || byte == UInt8(ascii: "_")
            else { break }
            if isDot, isAfterDot { return false }
            if isAfterDot { labelStart = index }
            isAfterDot = isDot
            index += 1
        }
        // The complete parser checks other hosts that end in a number or a dot.
        guard (1...255).contains(index - start), !isAfterDot else { return false }
        return unsafe !bytes[labelStart].isDigit || isIPv4(bytes[start..<index])
    }

    /// Whether a host is four numbers up to 255 without leading zeros.
    private func isIPv4(_ host: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        var (dots, digits, value) = (0, 0, 0)
        for index in unsafe host.indices {
            let byte = unsafe host[index]
            if byte == UInt8(ascii: ".") {
                (dots, digits, value) = (dots + 1, 0, 0)
            } else {
                guard byte.isDigit, digits == 0 || value > 0 else { return false }
                (digits, value) = (digits + 1, value * 10 + Int(byte - UInt8(ascii: "0")))
                guard value <= 255 else { return false }
            }
        }
        return dots == 3
    }

    /// Takes a port of at most five digits without a leading zero.
    mutating func takePort() -> UInt16? {
        index += 1
        let start = index
        var port: UInt32 = 0
        while let byte = next, byte.isDigit, index < start + 5 {
            port = port * 10 + UInt32(byte - UInt8(ascii: "0"))
            index += 1
        }
        guard index > start, unsafe bytes[start] != UInt8(ascii: "0"), next?.isDigit != true else { return nil }
        return UInt16(exactly: port)
    }

    /// Skips a path whose segments don't start with a dot.
    mutating func skipPath() -> Bool {
        guard let first = next, first != UInt8(ascii: "?") else { return true }
        guard first == UInt8(ascii: "/") else { return false }
        let allowed = PercentEncoding.path
        var isAfterSlash = false
        while let byte = next, byte != UInt8(ascii: "?") {
            if isAfterSlash && byte == UInt8(ascii: ".") || !allowed.contains(byte) { return false }
            isAfterSlash = byte == UInt8(ascii: "/")
            index += 1
        }
        return true
    }

    /// Skips a query that ends the URL.
    mutating func skipQuery() -> Bool {
        guard next != nil else { return true }
        let allowed = PercentEncoding.query
        while let byte = next {
            guard allowed.contains(byte) else { return false }
            index += 1
        }
        return true
    }
}
