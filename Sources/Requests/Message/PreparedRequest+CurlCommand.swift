import Foundation

extension PreparedRequest {
    /// The request as a `curl` command for a POSIX shell.
    ///
    /// Every argument is quoted, so that no value can become a command or an option. Text is passed as it is, long text
    /// and other bytes through `printf`; a stream is not read and stands as standard input.
    ///
    /// - Parameter revealingSecrets: Whether credentials are shown, in fields, query and body; `false` by default. In a
    ///   body those are values of JSON, forms and parts of forms whose names say so, `password` for example.
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
        words.append(Shell.quoted(revealingSecrets ? url.text : url.description))
        return (input.map { $0 + " | " } ?? "") + words.joined(separator: " ")
    }

    /// curl drops a field that ends with its colon; a semicolon sends it empty.
    private func curlHeader(_ field: Field, _ revealingSecrets: Bool) -> String {
        field.value.isEmpty ? "\(field.name);" : field.line(revealingSecrets: revealingSecrets)
    }

    private static func curlBody(_ body: RequestBody) -> (options: [String], input: String?) {
        guard !body.isNone else { return ([], nil) }
        if let data = body.data, data.count <= Shell.longestArgument, !data.contains(0),
            let text = String(validating: data, as: UTF8.self)
        {
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
    /// Linux starts no program with an argument of 128 KiB; what the shell does itself has no such limit.
    static let longestArgument = 64 << 10

    /// What means itself to every shell is left as it is.
    private static let plain = ByteSet(alphanumericsAnd: "-._/:@%+,=")

    static func quoted(_ text: String) -> String {
        if !text.isEmpty, text.utf8.allSatisfy(plain.contains) { return text }
        // Scalar by scalar: a combining mark after a quote makes another character of it, but not to the shell.
        let escaped = text.unicodeScalars.split(separator: "'", omittingEmptySubsequences: false)
            .map { String($0) }
            .joined(separator: "'\\''")
        return "'\(escaped)'"
    }

    /// A command that writes a body; `nil` for one that cannot be read without being used up.
    static func output(of body: RequestBody) -> String? {
        switch body.source {
        case .data(let data):
            if !data.contains(0), let text = String(validating: data, as: UTF8.self) {
                return "printf %s \(quoted(text))"
            }
            return "printf \(quoted(octal(data)))"
        case .file(let slice):
            if slice.isWhole { return "cat \(quoted(slice.url.path))" }
            return "tail -c +\(slice.offset + 1) \(quoted(slice.url.path)) | head -c \(slice.length)"
        case .joined(let bodies):
            let commands = bodies.map { output(of: $0) }
            let known = commands.compactMap { $0 }
            return known.count == commands.count ? "{ \(known.joined(separator: "; ")); }" : nil
        case .none, .stream, .opener, .sequence, .invalid: return nil
        }
    }

    /// Bytes as the octal escapes of `printf`, so that none of them is a `%` or a `\` to it.
    static func octal(_ data: Data) -> String {
        data.map { byte in
            let digits = String(byte, radix: 8)
            return "\\" + String(repeating: "0", count: 3 - digits.count) + digits
        }
        .joined()
    }
}
