import Foundation
import Requests

extension HAR.Request {
    /// The body in a form that is the same for all equal bodies.
    var normalizedBody: Data {
        let body = self.body
        // `JSONEncoder` writes keys in a different order in each process.
        if let value = try? JSONSerialization.jsonObject(with: body, options: .fragmentsAllowed),
            let sorted = try? JSONSerialization.data(withJSONObject: value, options: [.sortedKeys, .fragmentsAllowed])
        {
            return sorted
        }
        let type = postData?.mimeType ?? ""
        if MediaType(type)?.matches(.urlEncodedForm) == true { return Data(HAR.normalized(form: body).utf8) }
        guard type.hasPrefix("multipart/"), let start = type.range(of: "boundary=")?.upperBound else { return body }
        let boundary = type[start...].prefix { $0 != ";" }.trimmingCharacters(in: CharacterSet(charactersIn: "\" "))
        return body.removing(Data(boundary.utf8))
    }
}

extension HAR {
    /// Returns the form with each item encoded the same way.
    fileprivate static func normalized(form: Data) -> String {
        String(decoding: form, as: UTF8.self).split(separator: "&").map { item in
            item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map { PercentEncoding.encoded(PercentEncoding.decodedBytes(String($0.replacing("+", with: " ")))) }
                .joined(separator: "=")
        }
        .joined(separator: "&")
    }
}

extension Data {
    fileprivate func removing(_ pattern: Data) -> Data {
        guard !pattern.isEmpty else { return self }
        var result = Data()
        var rest = self[...]
        while let range = rest.range(of: pattern) {
            result += rest[..<range.lowerBound]
            rest = rest[range.upperBound...]
        }
        return result + rest
    }
}
