import Foundation

extension RequestURL {
    static func parse(_ text: String) throws(RequestError) -> RequestURL {
        let usual = text.withBytes { unsafe Layout(ofNormalized: $0) }
        if let usual { return RequestURL(text: text, layout: usual) }
        var parser = Parser(text)
        let layout = try parser.parse()
        guard parser.isNormal else {
            // The normalized URL needs no further normalization, so the recursion ends here.
            return try parse(try parser.normalized(layout))
        }
        return RequestURL(text: text, layout: layout)
    }

    /// Finds the parts of a URL and whether it needs normalization.
    private struct Parser {
        let text: String
        let bytes: String.UTF8View
        var isNormal = true

        init(_ text: String) {
            self.text = text
            self.bytes = text.utf8
        }

        mutating func parse() throws(RequestError) -> Layout {
            let (isSecure, hostStart) = try parseScheme()
            let authorityEnd = bytes[hostStart...].firstIndex(where: Self.delimiters.contains) ?? bytes.endIndex
            let (hostEnd, port) = try parseAuthority(hostStart..<authorityEnd)

            let fragmentStart = bytes[authorityEnd...].firstIndex(of: UInt8(ascii: "#")) ?? bytes.endIndex
            let target = bytes[authorityEnd..<fragmentStart]
            let pathEnd = target.firstIndex(of: UInt8(ascii: "?")) ?? fragmentStart
            try PathSegments.check(String(text[authorityEnd..<pathEnd]))
            check(bytes[authorityEnd..<pathEnd], is: PercentEncoding.path)
            check(bytes[pathEnd..<fragmentStart], is: PercentEncoding.query)
            check(bytes[fragmentStart...].dropFirst(), is: PercentEncoding.query)
            return Layout(
                isSecure: isSecure,
                port: port,
                hostStart: offset(hostStart),
                hostEnd: offset(hostEnd),
                pathStart: offset(authorityEnd),
                pathEnd: offset(pathEnd),
                targetEnd: offset(fragmentStart)
            )
        }

        private func offset(_ index: String.Index) -> UInt32 {
            UInt32(clamping: bytes.distance(from: bytes.startIndex, to: index))
        }

        private mutating func parseScheme() throws(RequestError) -> (Bool, hostStart: String.Index) {
            // Only `://` ends a scheme. The text before any other colon may be a secret and isn't shown.
            guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { throw .missingScheme(text) }
            let scheme = text[..<colon]
            let isSecure = ASCII.lowercased(scheme) == "https"
            let isHTTP = isSecure || ASCII.lowercased(scheme) == "http"
            guard scheme.utf8.allSatisfy(Parser.schemeBytes.contains), bytes[colon...].starts(with: "://".utf8) else {
                throw isHTTP ? .missingHost(text) : .missingScheme(text)
            }
            if scheme.utf8.contains(where: { $0 != ASCII.lowercased($0) }) { isNormal = false }
            guard isHTTP else { throw .unsupportedScheme(scheme) }
            return (isSecure, bytes.index(colon, offsetBy: 3))
        }

        private mutating func parseAuthority(
            _ range: Range<String.Index>
        ) throws(RequestError) -> (hostEnd: String.Index, port: UInt16?) {
            let authority = bytes[range]
            if let at = authority.lastIndex(of: UInt8(ascii: "@")) {
                throw .userInfo(host: text[at..<range.upperBound])
            }
            let afterBrackets = authority.lastIndex(of: UInt8(ascii: "]")) ?? authority.startIndex
            let hostEnd = bytes[afterBrackets..<range.upperBound].firstIndex(of: UInt8(ascii: ":")) ?? range.upperBound
            let host = text[range.lowerBound..<hostEnd]
            guard !host.isEmpty else { throw .missingHost(text) }
            if host.utf8.contains(where: { $0 != ASCII.lowercased($0) || $0 > 127 }) { isNormal = false }
            guard HostName.isValid(host) || HostName.ascii(host) != nil else { throw .invalidHost(host) }

            let digits = text[hostEnd..<range.upperBound].dropFirst()
            if hostEnd != range.upperBound, digits.isEmpty { isNormal = false }
            guard !digits.isEmpty else { return (hostEnd, nil) }
            guard digits.utf8.allSatisfy(\.isDigit), let port = UInt16(digits) else {
                throw .invalidPort(digits, in: text)
            }
            return (hostEnd, port)
        }

        private mutating func check(_ part: Substring.UTF8View, is allowed: ByteSet) {
            guard isNormal else { return }
            isNormal = part.indices.allSatisfy { index in
                allowed.contains(part[index])
                    || part[index] == PercentEncoding.percent && PercentEncoding.startsEscape(part[index...])
            }
        }

        func normalized(_ layout: Layout) throws(RequestError) -> String {
            func slice(_ start: UInt32, _ end: UInt32) -> Substring.UTF8View {
                bytes.dropFirst(Int(start)).prefix(Int(end - start))
            }
            let host = String(slice(layout.hostStart, layout.hostEnd)) ?? ""
            guard let ascii = HostName.ascii(host[...]) else { throw .invalidHost(host[...]) }
            var result = Array("\(layout.isSecure ? "https" : "http")://\(ascii)".utf8)
            if let port = layout.port { result += Array(":\(port)".utf8) }
            let path = slice(layout.pathStart, layout.pathEnd)
            PercentEncoding.appendEncoded(path, keeping: PercentEncoding.path, to: &result)
            PercentEncoding.appendEncoded(
                slice(layout.pathEnd, layout.targetEnd),
                keeping: PercentEncoding.query,
                to: &result
            )
            let fragment = bytes.dropFirst(Int(layout.targetEnd))
            if !fragment.isEmpty { result.append(UInt8(ascii: "#")) }
            PercentEncoding.appendEncoded(fragment.dropFirst(), keeping: PercentEncoding.query, to: &result)
            return String(decoding: result, as: UTF8.self)
        }

        private static let delimiters = Array("/?#".utf8)
        private static let schemeBytes = ByteSet(alphanumericsAnd: "+-.")
    }
}

extension RequestError {
    fileprivate static func missingScheme(_ text: String) -> RequestError {
        RequestError(
            code: .unsupportedScheme,
            subject: "",
            message: "The URL \(Redaction.quotedURL(text)) has no scheme. "
                + "Write an absolute URL that starts with http:// or https://."
        )
    }

    fileprivate static func unsupportedScheme(_ scheme: Substring) -> RequestError {
        RequestError(
            code: .unsupportedScheme,
            subject: String(scheme),
            message: "The scheme \(Redaction.quoted(String(scheme))) isn't supported. Use http or https."
        )
    }

    fileprivate static func missingHost(_ text: String) -> RequestError {
        RequestError(
            code: .missingHost,
            subject: Redaction.quotedURL(text),
            message: "The URL \(Redaction.quotedURL(text)) has no host. Write one after http:// or https://."
        )
    }

    fileprivate static func invalidHost(_ host: Substring) -> RequestError {
        RequestError(
            code: .invalidHost,
            subject: String(host),
            message: "The host \(Redaction.quoted(String(host))) is neither a DNS name nor an IP address."
        )
    }

    /// An invalid port is shown only if it can't be a password. In `user:pass/word@host`, the slash ends the authority.
    fileprivate static func invalidPort(_ port: Substring, in text: String) -> RequestError {
        let mayBeSecret = text.utf8.contains(UInt8(ascii: "@")) || !port.utf8.allSatisfy(\.isDigit)
        let shown = mayBeSecret ? Redaction.placeholder : String(port)
        return RequestError(
            code: .invalidPort,
            subject: shown,
            message: "The port \(Redaction.quoted(shown)) isn't a number between 0 and 65535."
        )
    }

    fileprivate static func userInfo(host: Substring) -> RequestError {
        RequestError(
            code: .userInfo,
            subject: "\(Redaction.placeholder)\(host)",
            message: "The URL contains a user name or password before \(Redaction.quoted(String(host))). "
                + "Authenticate the request with .basicAuth(username:password:) instead."
        )
    }
}
