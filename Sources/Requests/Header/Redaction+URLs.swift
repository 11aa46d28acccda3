/// Text with URLs in it, as fields hold them.
extension Redaction {
    private static let namesOfURLs: Set<Field.Name> = [.location, .referer, "Content-Location", "Link", "Refresh"]

    /// What ends the value of an item, and what does but may be a part of one, too.
    private static let ends = Array("&#<>\" ".unicodeScalars)
    private static let separators = Array("?;".unicodeScalars)

    /// The value of a field that is no secret as a whole.
    static func shown(_ value: String, of name: Field.Name) -> String {
        namesOfURLs.contains(name) ? hidingItems(in: hidingUserInfo(in: value)) : value
    }

    /// Text without the values of items of queries that are credentials.
    ///
    /// - Parameter names: Those that are sensitive beside the usual ones.
    static func hidingItems(in text: String, named names: Set<String> = []) -> String {
        guard text.utf8.contains(UInt8(ascii: "=")) else { return text }
        var (shown, name) = (String.UnicodeScalarView(), String.UnicodeScalarView())
        var (isSecret, isHidden) = (false, false)
        for scalar in text.unicodeScalars {
            if isSecret, !ends.contains(scalar) {
                if !isHidden { shown += placeholder.unicodeScalars }
                isHidden = true
                continue
            }
            if isSecret || ends.contains(scalar) || separators.contains(scalar) {
                (name, isSecret, isHidden) = (String.UnicodeScalarView(), false, false)
            } else if scalar == "=" {
                let decoded = PercentEncoding.decoded(String(name))
                isSecret = isSensitive(queryName: decoded) || names.contains(decoded)
            } else {
                name.append(scalar)
            }
            shown.append(scalar)
        }
        return String(shown)
    }

    /// Text without what stands before an `@` in the authority of a URL.
    private static func hidingUserInfo(in text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "@")) else { return text }
        let parts = text.split(separator: "//", omittingEmptySubsequences: false)
        return parts.dropFirst().reduce(into: String(parts.first ?? "")) { shown, part in
            let authority = part.prefix { !"/?#<>\" ".contains($0) }
            shown += "//" + (authority.lastIndex(of: "@").map { placeholder + part[$0...] } ?? String(part))
        }
    }
}
