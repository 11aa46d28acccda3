extension RequestURL {
    static func parse(_ text: String) throws(RequestError) -> RequestURL {
        let parsed = text.withBytes { bytes in
            var parser = unsafe Parser(bytes)
            return Result { () throws(Fault) in (layout: try parser.parse(), isNormal: parser.isNormal) }
        }
        switch parsed {
        case .failure(let fault): throw .invalidURL(text, fault)
        case .success((let layout, isNormal: true)): return RequestURL(text: text, layout: layout)
        // The normalized URL needs no further normalization, so the recursion ends here.
        case .success((let layout, isNormal: false)): return try parse(normalized(text, layout))
        }
    }

    private static func normalized(_ text: String, _ layout: Layout) -> String {
        func slice(_ start: UInt32, _ end: UInt32) -> Substring.UTF8View {
            text.utf8.dropFirst(Int(start)).prefix(Int(end - start))
        }
        let host = String(slice(layout.hostStart, layout.hostEnd))
        var result = Array("\(layout.isSecure ? "https" : "http")://\(host.flatMap(HostName.ascii) ?? "")".utf8)
        if let port = layout.port { result += Array(":\(port)".utf8) }
        let path = slice(layout.pathStart, layout.pathEnd)
        PercentEncoding.appendEncoded(path, keeping: PercentEncoding.path, to: &result)
        let query = slice(layout.pathEnd, layout.targetEnd)
        PercentEncoding.appendEncoded(query, keeping: PercentEncoding.query, to: &result)
        let fragment = text.utf8.dropFirst(Int(layout.targetEnd))
        if !fragment.isEmpty { result.append(UInt8(ascii: "#")) }
        PercentEncoding.appendEncoded(fragment.dropFirst(), keeping: PercentEncoding.query, to: &result)
        return String(decoding: result, as: UTF8.self)
    }
}

extension RequestError {
    fileprivate static func invalidURL(_ text: String, _ fault: RequestURL.Fault) -> RequestError {
        func slice(_ range: Range<Int>) -> String {
            String(decoding: text.utf8.dropFirst(range.lowerBound).prefix(range.count), as: UTF8.self)
        }
        let url = Redaction.quotedURL(text)
        let (code, subject, message): (Code, String, String)
        switch fault {
        case .missingScheme:
            (code, subject) = (.unsupportedScheme, "")
            message = "The URL \(url) has no scheme. Write an absolute URL that starts with http:// or https://."
        case .unsupportedScheme(let scheme):
            (code, subject) = (.unsupportedScheme, slice(scheme))
            message = "The scheme \(Redaction.quoted(subject)) isn't supported. Use http or https."
        case .missingHost:
            (code, subject) = (.missingHost, url)
            message = "The URL \(url) has no host. Write one after http:// or https://."
        case .invalidHost(let host):
            (code, subject) = (.invalidHost, slice(host))
            // FoundationEssentials has no tables for IDNA.
            let advice = subject.utf8.allSatisfy { $0 < 128 } ? "" : " Write a Unicode name in ASCII, as xn--…"
            message = "The host \(Redaction.quoted(subject)) is neither a DNS name nor an IP address.\(advice)"
        case .invalidPort(let port):
            (code, subject) = (.invalidPort, shownPort(slice(port), in: text))
            message = "The port \(Redaction.quoted(subject)) isn't a number between 0 and 65535."
        case .userInfo(let host):
            (code, subject) = (.userInfo, Redaction.placeholder + slice(host))
            message =
                "The URL contains a user name or password before \(Redaction.quoted(slice(host))). "
                + "Authenticate the request with .basicAuth(username:password:) instead."
        case .dotSegment(let dots, let path):
            return dotSegment(slice(dots), in: slice(path))
        }
        return RequestError(code: code, subject: subject, message: message)
    }

    /// An invalid port is shown only if it can't be a password. In `user:pass/word@host`, the slash ends the authority.
    private static func shownPort(_ port: String, in text: String) -> String {
        let mayBeSecret = text.utf8.contains(UInt8(ascii: "@")) || !port.utf8.allSatisfy(\.isDigit)
        return mayBeSecret ? Redaction.placeholder : port
    }
}
