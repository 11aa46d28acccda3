/// The bytes between two delimiters of a multipart body.
package struct FormPart {
    /// The header, including the empty line that ends it. Empty if there is no such line.
    package let head: Data
    package let content: Data

    static func separator(_ boundary: String) -> Data { Data("--\(boundary)".utf8) }

    /// Splits a body into parts. The bytes before the first delimiter and after the last one are parts, too.
    package static func parts(of data: Data, _ boundary: String) -> [FormPart] {
        var parts: [FormPart] = []
        var rest = data[...]
        for match in ByteSearch(Array(separator(boundary))).matches(in: data) {
            parts.append(FormPart(rest[..<match.lowerBound]))
            rest = rest[match.upperBound...]
        }
        return parts + [FormPart(rest)]
    }

    private static let headEnd = ByteSearch(Array("\r\n\r\n".utf8))

    private init(_ part: Data) {
        let start = FormPart.headEnd.firstMatch(in: part)?.upperBound ?? part.startIndex
        (head, content) = (part[..<start], part[start...])
    }

    /// Returns a body with the contents of secret parts replaced by a placeholder.
    ///
    /// Works on bytes because other parts may not be text.
    ///
    /// - Parameter isSecret: Returns whether the content of the field with a name is secret.
    package static func redacted(_ data: Data, _ boundary: String, where isSecret: (String) -> Bool) -> Data {
        // Foundation on Linux traps if both operands of `Data + Data` are empty slices, so this is an array.
        var bytes: [UInt8] = []
        for (index, part) in parts(of: data, boundary).enumerated() {
            if index > 0 { bytes += separator(boundary) }
            bytes += part.head
            bytes += part.hasName(where: isSecret) ? Data("\(Redaction.placeholder)\r\n".utf8) : part.content
        }
        return Data(bytes)
    }

    /// Whether the content is a credential, by the field's name.
    package var isSecret: Bool { hasName { Redaction.isSensitive(queryName: $0) } }

    /// Whether a name satisfies a condition. Any line and any of several names counts, because a server may read
    /// another one than we do.
    private func hasName(where condition: (String) -> Bool) -> Bool {
        String(decoding: head, as: UTF8.self).utf8.split { "\r\n".utf8.contains($0) }.contains { line in
            var line = line
            return line.takeParameters().contains {
                ASCII.equalsIgnoringCase($0.name, "name") && $0.value.map(condition) == true
            }
        }
    }
}
