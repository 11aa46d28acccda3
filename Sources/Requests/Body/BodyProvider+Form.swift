import Foundation

extension BodyProvider {
    /// Names and values as `application/x-www-form-urlencoded`.
    ///
    /// ```swift
    /// api.post(.form(["name": "Ada Lovelace", "born": 1815]), to: "/people")      // name=Ada+Lovelace&born=1815
    /// ```
    ///
    /// A space becomes `+`, as in the forms of browsers. A value of `nil` gives `name=`.
    ///
    /// Specification: WHATWG URL §5.2.
    public static func form(_ query: Query) -> BodyProvider {
        let body = RequestBody.data(FormEncoding.data(query.items))
        return BodyProvider { header in
            header.set(.contentType(.urlEncodedForm))
            return body
        }
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
