extension BodyProvider {
    /// Names and values as `application/x-www-form-urlencoded`.
    ///
    /// ```swift
    /// let person = api.post(.form(["name": "Ada Lovelace", "born": 1815]), to: "/people")
    /// // name=Ada+Lovelace&born=1815
    /// ```
    ///
    /// A space becomes `+`, as in browsers. In the literal, `nil` leaves the item out and an array repeats the name. A
    /// `URLQueryItem` without a value gives `name=`, because a form can't contain a name alone.
    ///
    /// - Parameters:
    ///   - query: The names and values.
    ///   - contentType: The media type. `nil` keeps the request's own.
    ///
    /// Specification: WHATWG URL §5.2.
    public static func form(_ query: Query, contentType: MediaType? = .urlEncodedForm) -> BodyProvider {
        BodyProvider(.data(FormEncoding.data(query.items)), contentType: contentType)
    }

    /// An `Encodable` value as `application/x-www-form-urlencoded`.
    ///
    /// The value is encoded immediately. If that fails, building a request with it throws the error.
    ///
    /// - Parameters:
    ///   - value: A value with keys.
    ///   - style: How the value becomes names and values. See ``Query/Style`` for the defaults.
    ///   - contentType: The media type. `nil` keeps the request's own.
    public static func form(
        encoded value: some Encodable,
        style: Query.Style = Query.Style(),
        contentType: MediaType? = .urlEncodedForm
    ) -> BodyProvider {
        do {
            return form(try Query.encoding(value, style: style), contentType: contentType)
        } catch {
            return BodyProvider { _ in throw error }
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
