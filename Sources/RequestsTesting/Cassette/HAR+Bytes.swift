import Foundation
import Requests

/// Bytes in an archive: as text where they are UTF-8, else as Base64.
extension HAR.PostData {
    init(_ data: Data, mimeType: String?) {
        let text = String(validating: data, as: UTF8.self)
        self.init(
            mimeType: mimeType ?? "",
            text: text ?? data.base64EncodedString(),
            encoding: text == nil ? HAR.base64 : nil
        )
    }

    var data: Data { HAR.data(text, encoding) ?? Data((text ?? "").utf8) }
}

extension HAR.Content {
    init(_ data: Data, mimeType: String?, isCoded: Bool) {
        let text = String(validating: data, as: UTF8.self)
        self.init(
            size: data.count,
            mimeType: mimeType ?? "",
            text: text ?? data.base64EncodedString(),
            encoding: text == nil ? HAR.base64 : nil,
            isCoded: isCoded ? true : nil
        )
    }

    /// The body, as far as the archive has it; `nil` where it does not: browsers leave out what is large.
    var data: Data? { HAR.data(text, encoding) ?? (text == nil && size <= 0 ? Data() : nil) }
}

extension HAR {
    fileprivate static let base64 = "base64"

    /// - Returns: `nil` for no text, and for what is not the Base64 that it is said to be, with line breaks or without.
    fileprivate static func data(_ text: String?, _ encoding: String?) -> Data? {
        guard encoding == base64 else { return text.map { Data($0.utf8) } }
        return text.flatMap { Data(base64Encoded: $0, options: .ignoreUnknownCharacters) }
    }
}

extension HAR.Request {
    /// The body; empty where there is none.
    var body: Data { postData?.data ?? Data() }

    /// The values of a field, one for each time that it is there.
    func values(of name: Field.Name) -> [String] {
        headers.filter { Field.Name($0.name) == name }.map(\.value)
    }
}
