import Foundation

extension RequestBody {
    /// Returns the body with credentials in JSON, URL-encoded forms and multipart forms replaced, for printing.
    func redacted(in header: Header) -> RequestBody {
        let type = header[.contentType].flatMap { MediaType($0) }
        switch source {
        case .data(let data):
            if let boundary = type?.boundary {
                return .data(FormPart.redacted(data, boundary) { Redaction.isSensitive(queryName: $0) })
            }
            if type?.isForm == true {
                guard let text = String(validating: data, as: UTF8.self) else { return self }
                return .data(Data(RequestBody.redacted(form: text).utf8))
            }
            return Redaction.hidingMembers(inJSON: data).map { .data($0) } ?? self
        case .joined(let bodies): return .joined(bodies.map { $0.redacted(in: header) })
        case .none, .file, .stream, .opener, .sequence, .invalid: return self
        }
    }

    private static func redacted(form text: String) -> String {
        text.split(separator: "&", omittingEmptySubsequences: false).map { item in
            let name = item.prefix { $0 != "=" }
            guard name.endIndex != item.endIndex,
                Redaction.isSensitive(queryName: PercentEncoding.decoded(String(name)))
            else { return String(item) }
            return "\(name)=\(Redaction.placeholder)"
        }
        .joined(separator: "&")
    }
}
