import Foundation

extension HAR.Request {
    /// The body in the one form that all equal bodies have.
    var comparableBody: Data {
        let body = self.body
        // A `JSONEncoder` writes keys in an order of its own, another one in each process.
        if let value = try? JSONSerialization.jsonObject(with: body, options: .fragmentsAllowed),
            let sorted = try? JSONSerialization.data(withJSONObject: value, options: [.sortedKeys, .fragmentsAllowed])
        {
            return sorted
        }
        let type = postData?.mimeType ?? ""
        guard type.hasPrefix("multipart/"), let start = type.range(of: "boundary=")?.upperBound else { return body }
        let boundary = type[start...].prefix { $0 != ";" }.trimmingCharacters(in: CharacterSet(charactersIn: "\" "))
        return body.removing(Data(boundary.utf8))
    }
}

extension Data {
    fileprivate func removing(_ part: Data) -> Data {
        guard !part.isEmpty else { return self }
        var result = Data()
        var rest = self[...]
        while let range = rest.range(of: part) {
            result += rest[..<range.lowerBound]
            rest = rest[range.upperBound...]
        }
        return result + rest
    }
}
