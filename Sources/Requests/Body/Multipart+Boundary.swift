extension Multipart {
    /// A boundary that is the same for equal parts, and that no content in memory contains.
    ///
    /// Contents are searched but hashed only if one contains the boundary, so it stays the same when a value changes. A
    /// content can't contain its own hash.
    var boundary: String {
        var description = description(keyedBy: hasFiles ? Multipart.processKey : [])
        let boundary = Multipart.boundary(of: description)
        guard isContained(boundary) else { return boundary }
        for part in parts {
            if case .data(let data) = part.content { description += Array("\(data.count):".utf8) + data }
        }
        return Multipart.boundary(of: description)
    }

    private static func boundary(of description: [UInt8]) -> String {
        "Requests-" + SHA2.sha256(description).prefix(16).hexadecimal
    }

    /// Makes the boundary unpredictable. If the author of a file knew it, the file could add parts to the body.
    private static let processKey = (0..<32).map { _ in UInt8.random(in: .min ... .max) }

    private var hasFiles: Bool {
        parts.contains { part in
            if case .file = part.content { true } else { false }
        }
    }

    /// The parts without their contents. A length before each string makes the description unambiguous.
    private func description(keyedBy key: [UInt8]) -> [UInt8] {
        var bytes = key
        for part in parts {
            var texts = [part.disposition] + part.fields.map { $0.line(revealingSecrets: true) }
            if case .file(let url) = part.content { texts.append("file: \(url.path)") }
            bytes += Array("\(texts.count):".utf8)
            for text in texts { bytes += Array("\(text.utf8.count):\(text)".utf8) }
        }
        return bytes
    }

    private func isContained(_ boundary: String) -> Bool {
        let delimiter = ByteSearch(Array("--\(boundary)".utf8))
        return parts.contains { part in
            if case .data(let data) = part.content { delimiter.firstMatch(in: data) != nil } else { false }
        }
    }
}
