import Requests

/// The parsing of option values.
extension CurlCommand {
    static let mixedBodies = RequestError.invalidCommand(
        "--data",
        "The command mixes --data, --json and --form. Use only one of them."
    )

    static func unknown(_ option: String) -> RequestError {
        // Drops the value of `--option=value`, which may be a secret.
        let name = String(option.prefix { $0 != "=" })
        return .invalidCommand(name, "The option \(Redaction.quoted(name)) isn't supported. Remove it.")
    }

    static func value(of option: String, _ words: inout ArraySlice<String>) throws(RequestError) -> String {
        guard let value = words.popFirst() else {
            throw .invalidCommand(option, "The option \(option) has no value. Add one after it.")
        }
        return value
    }

    static func seconds(_ text: String, of option: String) throws(RequestError) -> Duration {
        guard let seconds = Double(text), seconds > 0, seconds < 1e9 else {
            throw .invalidCommand(option, "The value of \(option) must be a number of seconds, such as 2.5.")
        }
        return .seconds(seconds)
    }

    /// Returns a body that reads a file while it is sent.
    static func file(_ path: Substring) throws(RequestError) -> RequestBody {
        guard path != "-" else {
            throw .invalidCommand("@-", "The command reads standard input (@-). Pass the data itself.")
        }
        return .file(URL(filePath: String(path)))
    }

    /// Returns the content of a file without line breaks and NUL bytes, as `-d @file` sends it.
    static func lines(of path: Substring) throws -> RequestBody {
        guard path != "-" else { return try file(path) }
        do {
            return .data(try Data(contentsOf: URL(filePath: String(path))).filter { ![0, 10, 13].contains($0) })
        } catch {
            let message = "The file \(Redaction.quoted(String(path))) can't be read. Check the path."
            throw RequestError.invalidCommand("-d", message)
        }
    }

    /// Returns the encoded value of `--data-urlencode`, which is `content`, `=content` or `name=content`.
    static func encoded(_ text: String) throws(RequestError) -> String {
        let (name, content) = text.split(at: "=")
        guard content != nil || !text.contains("@") else {
            throw .invalidCommand("--data-urlencode", "--data-urlencode with a file isn't supported. Pass the data.")
        }
        let encoded = (content ?? name).utf8.map { byte in
            switch UnicodeScalar(byte) {
            case "0"..."9", "A"..."Z", "a"..."z", "-", ".", "_", "~": String(UnicodeScalar(byte))
            default: "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        .joined()
        return content == nil || name.isEmpty ? encoded : "\(name)=\(encoded)"
    }

    /// Returns the part for the value of `-F`, which is `name=value` or `name=@file;type=…;filename=…`.
    static func part(_ text: String, readsFiles: Bool) throws(RequestError) -> Multipart.Part {
        let (name, value) = text.split(at: "=")
        guard let value else {
            throw .invalidCommand("-F", "The option -F has no “=”. Write -F 'name=value'.")
        }
        guard readsFiles, let mark = value.first, "@<".contains(mark) else {
            return .field(String(name), String(value))
        }
        guard mark == "@" else {
            throw .invalidCommand("-F", "-F 'name=<file' isn't supported. Pass the value, or a file with @.")
        }
        let pieces = value.dropFirst().split(separator: ";").map { $0.trimmingFieldWhitespace() }
        let file = URL(filePath: pieces.first ?? "")
        func attribute(_ name: String) -> String? {
            pieces.dropFirst().first { $0.hasPrefix("\(name)=") }.map { String($0.dropFirst(name.count + 1)) }
        }
        let type = attribute("type").flatMap { MediaType($0) } ?? .binary
        let filename = attribute("filename").map { String($0.trimmingPrefix("\"").prefix { $0 != "\"" }) }
        return .file(String(name), file, filename: filename, contentType: type)
    }
}
