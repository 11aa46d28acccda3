import Foundation

extension BodyProvider {
    /// Names and values as `application/x-www-form-urlencoded`.
    ///
    /// ```swift
    /// let order = api.post(.form(["name": "Ada Lovelace", "born": 1815]), to: "/people")      // name=Ada+Lovelace&born=1815
    /// ```
    ///
    /// A space becomes `+`, as in the forms of browsers. A value of `nil` gives `name=`.
    ///
    /// Specification: WHATWG URL §5.2.
    public static func form(_ query: Query) -> BodyProvider {
        .constant(.data(FormEncoding.data(query.items)), contentType: .urlEncodedForm)
    }

    /// What an `Encodable` value holds as `application/x-www-form-urlencoded`, encoded once, now.
    ///
    /// - Parameters:
    ///   - value: A value with keys. An error of its encoding is kept and thrown by each build.
    ///   - style: How it becomes names and values; see ``Query/Style`` for the defaults.
    public static func form(encoded value: some Encodable, style: Query.Style = Query.Style()) -> BodyProvider {
        let query = Result { try Query.encoding(value, style: style) }
        return BodyProvider { header in try form(query.get()).body(updating: &header) }
    }
}

/// The encoding of forms (WHATWG URL §5.2).
enum FormEncoding {
    private static let unchanged = ByteSet(alphanumericsAnd: "*-._")

    static func data(_ items: [URLQueryItem]) -> Data {
        var bytes: [UInt8] = []
        for (index, item) in items.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: "&")) }
            append(item.name, to: &bytes)
            bytes.append(UInt8(ascii: "="))
            append(item.value ?? "", to: &bytes)
        }
        return Data(bytes)
    }

    private static func append(_ text: String, to bytes: inout [UInt8]) {
        var isFirst = true
        for word in text.utf8.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false) {
            if !isFirst { bytes.append(UInt8(ascii: "+")) }
            isFirst = false
            PercentEncoding.append(String(Substring(word)), keeping: unchanged, to: &bytes)
        }
    }
}
