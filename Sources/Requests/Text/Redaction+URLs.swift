/// Hides credentials in text that contains URLs.
extension Redaction {
    /// Characters that end the value of an item, and characters that end a name but may be part of a value.
    private static let ends = Array("&#<>\" ".unicodeScalars)
    private static let separators = Array("?;".unicodeScalars)

    /// Returns text without the credentials in its URLs.
    package static func hidingCredentials(in text: String) -> String {
        hidingItems(in: hidingUserInfo(in: text))
    }

    /// Returns text without the values of query items that are credentials.
    ///
    /// - Parameter names: Sensitive names in addition to the usual ones.
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

    /// Returns text without the user info of its URLs.
    private static func hidingUserInfo(in text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "@")) else { return text }
        let parts = text.split(separator: "//", omittingEmptySubsequences: false)
        return parts.dropFirst().reduce(into: String(parts.first ?? "")) { shown, part in
            let authority = part.prefix { !"/?#<>\" ".contains($0) }
            shown += "//" + (authority.lastIndex(of: "@").map { placeholder + part[$0...] } ?? String(part))
        }
    }
}
