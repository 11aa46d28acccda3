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

    var data: Data { HAR.data(text, encoding) }
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

    var data: Data { HAR.data(text, encoding) }
}

extension HAR {
    fileprivate static let base64 = "base64"

    fileprivate static func data(_ text: String?, _ encoding: String?) -> Data {
        guard let text else { return Data() }
        return (encoding == base64 ? Data(base64Encoded: text) : nil) ?? Data(text.utf8)
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
