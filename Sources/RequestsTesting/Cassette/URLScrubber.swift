import Requests

/// A scrubber for query items in a URL, or in text that contains URLs, such as `Link` fields and bodies.
struct URLScrubber: Sendable {
    /// The bytes that end the value of a query item.
    var valueEnds = Set("&#<>\" ".utf8)
    /// Whether an item is secret, by its name and its value.
    let isSecret: @Sendable (String, ArraySlice<UInt8>) -> Bool

    /// Returns a scrubber for URLs in plain text, in markup (`&amp;`) and in JSON strings (`\/` and `\u0026`).
    static func inText(_ isSecret: @escaping @Sendable (String, ArraySlice<UInt8>) -> Bool) -> URLScrubber {
        var scrubber = URLScrubber(isSecret: isSecret)
        scrubber.valueEnds.formUnion("'`\\;,)]}\t\r\n".utf8)
        return scrubber
    }

    func scrubbed(_ text: some StringProtocol) -> String {
        String(decoding: scrubbed(Array(text.utf8)), as: UTF8.self)
    }

    /// Works on bytes, because a delimiter followed by a combining mark is a different `Character`.
    func scrubbed(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var rest = bytes[...]
        while let byte = rest.popFirst() {
            result.append(byte)
            switch byte {
            case UInt8(ascii: "/") where result.ends(with: "://") || result.ends(with: #":\/\/"#):
                scrubUserInfo(&rest, into: &result)
            case UInt8(ascii: "6") where result.ends(with: #"\u0026"#),
                UInt8(ascii: ";") where result.ends(with: "&amp;"),
                _ where URLScrubber.itemStarts.contains(byte):
                scrubItem(&rest, into: &result)
            default: break
            }
        }
        return result
    }

    private func scrubItem(_ rest: inout ArraySlice<UInt8>, into result: inout [UInt8]) {
        let name = rest.prefix {
            $0 != UInt8(ascii: "=") && !valueEnds.contains($0) && !URLScrubber.itemStarts.contains($0)
        }
        guard rest.dropFirst(name.count).first == UInt8(ascii: "=") else { return }
        let value = rest.dropFirst(name.count + 1).prefix { !valueEnds.contains($0) }
        guard isSecret(PathSegment.decoded(String(decoding: name, as: UTF8.self)), value) else { return }
        rest = rest[value.endIndex...]
        result += name + [UInt8(ascii: "=")]
        if !value.isEmpty { result += Array(Redaction.placeholder.utf8) }
    }

    private func scrubUserInfo(_ rest: inout ArraySlice<UInt8>, into result: inout [UInt8]) {
        let authority = rest.prefix { !URLScrubber.authorityEnds.contains($0) }
        guard let at = authority.lastIndex(of: UInt8(ascii: "@")) else { return }
        result += Array(Redaction.placeholder.utf8)
        rest = rest[at...]
    }

    /// The bytes before an item. They include `#`, because a fragment can contain tokens (RFC 6749 §4.2.2), and `?` for
    /// a URL inside the query.
    private static let itemStarts = Set("?&#".utf8)
    private static let authorityEnds = Set("/?#<>\"\\' \t\r\n".utf8)
}

extension [UInt8] {
    fileprivate func ends(with text: StaticString) -> Bool {
        text.withUTF8Buffer { unsafe count >= $0.count && suffix($0.count).elementsEqual($0) }
    }
}
