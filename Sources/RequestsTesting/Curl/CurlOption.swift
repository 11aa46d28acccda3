/// The supported options of `curl`. Those that don't describe the request are ignored.
enum CurlOption: Sendable {
    case method, head, get, header, data, dataRaw, dataBinary, dataURLEncoded, json, form, formString
    case user, bearer, userAgent, referer, cookie, url, maximumTime, connectTimeout
    case ignoredFlag, ignoredValue

    /// Whether the option needs a value.
    var takesValue: Bool {
        switch self {
        case .head, .get, .ignoredFlag: false
        default: true
        }
    }

    static let long: [String: CurlOption] = {
        var options: [String: CurlOption] = [
            "request": .method, "head": .head, "get": .get, "header": .header, "data": .data, "data-ascii": .data,
            "data-raw": .dataRaw, "data-binary": .dataBinary, "data-urlencode": .dataURLEncoded, "json": .json,
            "form": .form, "form-string": .formString, "user": .user, "oauth2-bearer": .bearer,
            "user-agent": .userAgent, "referer": .referer, "cookie": .cookie, "url": .url,
            "max-time": .maximumTime, "connect-timeout": .connectTimeout,
        ]
        for name in [
            "silent", "show-error", "verbose", "include", "location", "insecure", "compressed", "globoff", "fail",
            "fail-with-body", "no-buffer", "progress-bar", "http1.0", "http1.1", "http2", "http2-prior-knowledge",
            "http3", "ipv4", "ipv6", "tlsv1.2", "tlsv1.3", "path-as-is", "basic", "no-progress-meter", "no-keepalive",
            "remote-name", "raw", "tcp-nodelay",
        ] { options[name] = .ignoredFlag }
        for name in [
            "output", "write-out", "retry", "retry-delay", "cacert", "max-redirs", "dump-header", "cookie-jar",
            "trace-ascii", "stderr", "ciphers", "resolve", "limit-rate",
        ] { options[name] = .ignoredValue }
        return options
    }()

    static let short: [Character: CurlOption] = {
        var options: [Character: CurlOption] = [
            "X": .method, "I": .head, "G": .get, "H": .header, "d": .data, "F": .form, "u": .user, "A": .userAgent,
            "e": .referer, "b": .cookie, "m": .maximumTime,
        ]
        for name in "sSviLkgfN#046O" { options[name] = .ignoredFlag }
        for name in "owDc" { options[name] = .ignoredValue }
        return options
    }()
}
