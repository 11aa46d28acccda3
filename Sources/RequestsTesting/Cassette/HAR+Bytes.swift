import Requests

/// The conversion of bodies: UTF-8 is stored as text, other data as Base64. Text is always UTF-8, whatever its charset.
extension HAR.PostData {
    init(_ data: Data, mimeType: String?) {
        let text = HAR.text(data, mimeType)
        self.init(
            mimeType: mimeType ?? "",
            text: text ?? data.base64EncodedString(),
            encoding: text == nil ? HAR.base64 : nil
        )
    }

    var data: Data { HAR.data(text, encoding) ?? Data((text ?? "").utf8) }
}

extension HAR.Content {
    init(_ data: Data, mimeType: String?, isContentEncoded: Bool) {
        let text = HAR.text(data, mimeType)
        self.init(
            size: Int64(data.count),
            mimeType: mimeType ?? "",
            text: text ?? data.base64EncodedString(),
            encoding: text == nil ? HAR.base64 : nil,
            isContentEncoded: isContentEncoded ? true : nil
        )
    }

    /// The body. `nil` if the archive lacks it, as browsers omit large bodies.
    var data: Data? { HAR.data(text, encoding) ?? (text == nil && size <= 0 ? Data() : nil) }
}

extension HAR {
    static let base64 = "base64"

    /// Returns the body as text. `nil` if it isn't UTF-8.
    fileprivate static func text(_ data: Data, _ mimeType: String?) -> String? {
        guard mimeType.map({ HAR.decoded($0) == $0 }) ?? true else { return nil }
        return String(validating: data, as: UTF8.self)
    }

    /// Returns a media type for the text of an archive, which was decoded from the type's charset.
    static func decoded(_ mimeType: String) -> String {
        guard var type = MediaType(mimeType),
            type.parameters.contains(where: { $0.name == "charset" && !utf8Names.contains(ASCII.lowercased($0.value)) })
        else { return mimeType }
        type.parameters.removeAll { $0.name == "charset" }
        type.parameters.append(("charset", "utf-8"))
        return type.rawValue
    }

    private static let utf8Names: Set<String> = ["utf-8", "utf8", "us-ascii"]

    /// Returns the decoded text, or `nil` if there is no text or it isn't valid Base64. Line breaks in the Base64 are
    /// ignored.
    fileprivate static func data(_ text: String?, _ encoding: String?) -> Data? {
        guard encoding == base64 else { return text.map { Data($0.utf8) } }
        return text.flatMap { Data(base64Encoded: $0, options: .ignoreUnknownCharacters) }
    }
}

extension HAR.Request {
    /// The body. Empty if there is none.
    var body: Data { postData?.data ?? Data() }

    /// Returns the values of all header fields with a name.
    func values(of name: Field.Name) -> [String] {
        headers.filter { Field.Name($0.name) == name }.map(\.value)
    }
}
