import Requests

extension PreparedRequest {
    /// Creates the request that a `curl` command sends, for example from a bug report or a browser's developer tools.
    ///
    /// ```swift
    /// let request = try PreparedRequest(curl: #"""
    ///     curl 'https://api.example.com/users' -H 'Accept: application/json' --data-raw '{"name":"Ada"}'
    ///     """#)
    /// ```
    ///
    /// Supports the quoting of POSIX shells and `$'…'`, and the options that describe a request: `-X -H -d -F -u -A -e
    /// -b -G -I -m --url --json --connect-timeout --oauth2-bearer`, and the variants of `--data` and `--form`. Options
    /// for the connection and for the output, such as `-k`, `-L`, `-s` and `-o`, are ignored. Files are read when the
    /// request is sent, except with `-d @file`. Nothing in the command is executed or expanded.
    ///
    /// - Throws: `RequestError.Code.invalidCommand` for an unsupported option, a variable or several requests. Other
    ///   `RequestError`s if the request is invalid.
    public init(curl command: String) throws {
        let command = try CurlCommand(command)
        guard var url = command.url else {
            throw RequestError.invalidCommand("URL", "The command has no URL. Add one.")
        }
        var header = command.header
        var body = RequestBody.none
        switch command.body {
        case .none: break
        case .data(let pieces) where command.usesQuery:
            let items = try PreparedRequest.joined(pieces).data ?? Data()
            url += (url.contains("?") ? "&" : "?") + String(decoding: items, as: UTF8.self)
        case .data(let pieces):
            body = try PreparedRequest.joined(pieces)
            PreparedRequest.set(.contentType(.urlEncodedForm), in: &header, of: command)
        case .json(let text):
            body = .data(Data(text.utf8))
            PreparedRequest.set(.contentType(.json), in: &header, of: command)
            PreparedRequest.set(.accept(.json), in: &header, of: command)
        case .form(let parts):
            body = try BodyProvider.multipart(Multipart(parts)).body(updating: &header)
        }
        let method = command.method ?? (command.usesHead ? "HEAD" : body.isNone ? "GET" : "POST")
        try self.init(
            method: HTTPMethod(rawValue: method),
            url: RequestURL(url),
            header: header,
            body: body,
            options: CallOptions(timeouts: command.timeouts)
        )
    }

    private static func set(_ field: Field, in header: inout Header, of command: CurlCommand) {
        if !header.contains(field.name), !command.removed.contains(field.name) { header.add(field) }
    }

    private static func joined(_ pieces: [RequestBody]) throws(RequestError) -> RequestBody {
        if pieces.count == 1, let piece = pieces.first { return piece }
        let data = pieces.compactMap(\.data)
        guard data.count == pieces.count else {
            throw .invalidCommand("--data-binary", "The command joins a file and other data. Pass only one of them.")
        }
        return .data(Data(data.joined(separator: Data("&".utf8))))
    }
}
