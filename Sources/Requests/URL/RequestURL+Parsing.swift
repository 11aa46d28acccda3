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
        return switch fault {
        case .missingScheme: missingScheme(text)
        case .unsupportedScheme(let scheme): unsupportedScheme(slice(scheme))
        case .missingHost: missingHost(text)
        case .invalidHost(let host): invalidHost(slice(host))
        case .invalidPort(let port): invalidPort(slice(port), in: text)
        case .userInfo(let host): userInfo(host: slice(host))
        case .dotSegment(let dots, let path): dotSegment(slice(dots), in: slice(path))
        }
    }

    private static func missingScheme(_ text: String) -> RequestError {
        RequestError(
            code: .unsupportedScheme,
            subject: "",
            message: "The URL \(Redaction.quotedURL(text)) has no scheme. "
                + "Write an absolute URL that starts with http:// or https://."
        )
    }

    private static func unsupportedScheme(_ scheme: String) -> RequestError {
        RequestError(
            code: .unsupportedScheme,
            subject: scheme,
            message: "The scheme \(Redaction.quoted(scheme)) isn't supported. Use http or https."
        )
    }

    private static func missingHost(_ text: String) -> RequestError {
        RequestError(
            code: .missingHost,
            subject: Redaction.quotedURL(text),
            message: "The URL \(Redaction.quotedURL(text)) has no host. Write one after http:// or https://."
        )
    }

    private static func invalidHost(_ host: String) -> RequestError {
        RequestError(
            code: .invalidHost,
            subject: host,
            message: "The host \(Redaction.quoted(host)) is neither a DNS name nor an IP address."
        )
    }

    /// An invalid port is shown only if it can't be a password. In `user:pass/word@host`, the slash ends the authority.
    private static func invalidPort(_ port: String, in text: String) -> RequestError {
        let mayBeSecret = text.utf8.contains(UInt8(ascii: "@")) || !port.utf8.allSatisfy(\.isDigit)
        let shown = mayBeSecret ? Redaction.placeholder : port
        return RequestError(
            code: .invalidPort,
            subject: shown,
            message: "The port \(Redaction.quoted(shown)) isn't a number between 0 and 65535."
        )
    }

    private static func userInfo(host: String) -> RequestError {
        RequestError(
            code: .userInfo,
            subject: "\(Redaction.placeholder)\(host)",
            message: "The URL contains a user name or password before \(Redaction.quoted(host)). "
                + "Authenticate the request with .basicAuth(username:password:) instead."
        )
    }
}
