extension PreparedRequest {
    /// The request as an HTTP/1.1 message for people and snapshots, with line feeds as line ends.
    ///
    /// Contains the fields that a transport adds. Control characters are escaped unless secrets are revealed. A body
    /// that isn't text is shown as its description. A body that isn't in memory isn't read.
    ///
    /// - Parameter revealingSecrets: Whether credentials are shown, as in ``curlCommand(revealingSecrets:)``. Default:
    ///   `false`.
    ///
    /// Specification: RFC 9112 §2.1.
    public func httpMessage(revealingSecrets: Bool = false) -> String {
        let url = revealingSecrets ? self.url.text : self.url.redactedText
        let target = url.dropFirst(self.url.origin.scheme.count + 3 + self.url.authority.count).prefix { $0 != "#" }
        var lines = ["\(method) \(target.hasPrefix("/") ? "" : "/")\(target) HTTP/1.1"]
        if !header.contains(.host) { lines.append("Host: \(self.url.authority)") }
        lines += header.map { $0.line(revealingSecrets: revealingSecrets) }
        if !header.contains(.contentLength), let framing = framingField { lines.append(framing.description) }
        lines.append("")
        if !body.isNone { lines.append(text(of: body, revealingSecrets: revealingSecrets)) }
        return lines.joined(separator: "\n") + (body.isNone ? "\n" : "")
    }

    private func text(of body: RequestBody, revealingSecrets: Bool) -> String {
        let shown = revealingSecrets ? body : body.redacted(in: header)
        let parts = if case .joined(let bodies) = shown.source { bodies } else { [shown] }
        let text = parts.map { part in
            part.data.flatMap { String(validating: $0, as: UTF8.self) } ?? "<\(part)>"
        }
        .joined()
        return revealingSecrets ? text : escaped(text)
    }

    /// Escapes control characters other than tabs and line ends, because a terminal or an editor may interpret them.
    private func escaped(_ text: String) -> String {
        func isPlain(_ character: Character) -> Bool {
            // The line ends of multipart bodies are one `Character`.
            ["\n", "\t", "\r\n"].contains(character)
                || character.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
        }
        if text.allSatisfy(isPlain) { return text }
        return text.map { character in
            if isPlain(character) { return String(character) }
            return character.unicodeScalars.map { $0.escaped(asASCII: true) }.joined()
        }
        .joined()
    }

    /// The field that frames the body (RFC 9110 §8.6, RFC 9112 §6). `nil` if the message needs none.
    package var framingField: Field? {
        // Not with an array, which would be allocated for each request.
        let expectsBody = method == .post || method == .put || method == .patch
        if body.isNone, !expectsBody, !header.contains(.contentLength) { return nil }
        guard let length = body.length else { return Field(name: .transferEncoding, value: "chunked") }
        return Field(name: .contentLength, value: String(length))
    }
}
