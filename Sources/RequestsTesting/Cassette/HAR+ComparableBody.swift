import Foundation
import Requests

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
        guard let boundary = (postData?.mimeType).flatMap({ MediaType($0) })?.boundary else { return body }
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
