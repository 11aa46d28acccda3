extension PreparedRequest {
    /// The request as a `curl` command for a POSIX shell.
    ///
    /// Every argument is quoted, so that no value can become a command or an option. A short text body is an argument.
    /// Binary bodies, long ones and ones with control characters are written with `printf`. A stream isn't read; the
    /// command reads standard input instead.
    ///
    /// - Parameter revealingSecrets: Whether credentials are shown in fields, the query and the body. Default: `false`.
    ///   In a body, the values of JSON members and form fields with sensitive names, such as `password`, are redacted.
    ///   A body that is sensitive or can't be read (it is encoded, binary or in an unknown charset) isn't shown.
    public func curlCommand(revealingSecrets: Bool = false) -> String {
        var words = ["curl"]
        if method == .head, body.isNone {
            words.append("--head")
        } else if method != .get || !body.isNone {
            words += ["--request", Shell.quoted(method.rawValue)]
        }
        for field in header { words += ["--header", Shell.quoted(curlHeader(field, revealingSecrets))] }
        if !body.isNone, !header.contains(.contentType) { words += ["--header", "'Content-Type:'"] }
        let (options, input) = PreparedRequest.curlBody(revealingSecrets ? body : body.redacted(in: header))
        words += options
        if url.text.utf8.contains(where: { "[]{}".utf8.contains($0) }) { words.append("--globoff") }
        words.append(Shell.quoted(revealingSecrets ? url.text : url.redactedText))
        return (input.map { $0 + " | " } ?? "") + words.joined(separator: " ")
    }

    /// curl drops a field without a value. A semicolon sends it empty.
    private func curlHeader(_ field: Field, _ revealingSecrets: Bool) -> String {
        field.value.isEmpty ? "\(field.name);" : field.line(revealingSecrets: revealingSecrets)
    }

    private static func curlBody(_ body: RequestBody) -> (options: [String], input: String?) {
        guard !body.isNone else { return ([], nil) }
        if let data = body.data, data.count <= Shell.longestArgument, let text = Shell.plainText(data) {
            return (["--data-raw", Shell.quoted(text)], nil)
        }
        if case .file(let slice) = body.source, slice.isWhole {
            return (["--data-binary", Shell.quoted("@\(slice.url.path)")], nil)
        }
        return (["--data-binary", "@-"], Shell.output(of: body))
    }
}

/// Quoting for POSIX shells (IEEE 1003.1 XCU §2.2.2).
private enum Shell {
    /// Linux limits an argument of a program to 128 KiB. The shell's own `printf` has no such limit.
    static let longestArgument = 64 << 10

    /// The characters without a special meaning in any shell.
    private static let plain = ByteSet(alphanumericsAnd: "-._/:@%+,=")

    static func quoted(_ text: String) -> String {
        if !text.isEmpty, text.utf8.allSatisfy(plain.contains) { return text }
        // Splits scalars, because a quote and a combining mark are one `Character`, but not for the shell.
        let escaped = text.unicodeScalars.split(separator: "'", omittingEmptySubsequences: false)
            .map { String($0) }
            .joined(separator: "'\\''")
        return "'\(escaped)'"
    }

    /// Returns a command that writes a body. `nil` if the body can be read only once.
    static func output(of body: RequestBody) -> String? {
        switch body.source {
        case .data(let data):
            return plainText(data).map { "printf %s \(quoted($0))" } ?? "printf \(quoted(escaped(data)))"
        case .file(let slice):
            if slice.isWhole { return "cat \(quoted(slice.url.path))" }
            return "tail -c +\(slice.offset + 1) \(quoted(slice.url.path)) | head -c \(slice.length)"
        case .joined(let bodies):
            let commands = bodies.map { output(of: $0) }
            let known = commands.compactMap { $0 }
            return known.count == commands.count ? "{ \(known.joined(separator: "; ")); }" : nil
        case .none, .stream, .sequence, .invalid: return nil
        }
    }

    /// Returns bytes as text. `nil` if they aren't text or contain control characters, which a terminal may interpret.
    static func plainText(_ data: Data) -> String? {
        guard let text = String(validating: data, as: UTF8.self) else { return nil }
        let isPlain = text.unicodeScalars.allSatisfy { $0 == "\n" || $0.properties.generalCategory != .control }
        return isPlain ? text : nil
    }

    /// Returns bytes as a format of `printf`, in ASCII.
    static func escaped(_ data: Data) -> String {
        data.enumerated().map { index, byte in
            switch byte {
            // Prevents that the format is read as an option.
            case UInt8(ascii: "-") where index == 0: "\\055"
            case UInt8(ascii: "%"): "%%"
            case UInt8(ascii: "\\"): "\\\\"
            case UInt8(ascii: "\n"): "\\n"
            case UInt8(ascii: "\r"): "\\r"
            case UInt8(ascii: "\t"): "\\t"
            case 0x20..<0x7F: String(UnicodeScalar(byte))
            default: "\\" + String(repeating: "0", count: byte < 8 ? 2 : byte < 64 ? 1 : 0) + String(byte, radix: 8)
            }
        }
        .joined()
    }
}
