#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension RequestBody {
    /// Whether the body is marked as sensitive, or contains credentials by the names of form fields and JSON members.
    func containsCredentials(describedBy header: Header) -> Bool { redacted(in: header) != self }

    /// Returns the body with credentials in JSON, URL-encoded forms and multipart forms replaced, for printing.
    func redacted(in header: Header) -> RequestBody {
        if isSensitive { return .data(Data(Redaction.placeholder.utf8)) }
        let type = header[.contentType].flatMap { MediaType($0) }
        switch source {
        case .data(let data):
            if let boundary = type?.boundary {
                return .data(FormPart.redacted(data, boundary) { Redaction.isSensitive(queryName: $0) })
            }
            if type?.isForm == true {
                guard let text = String(validating: data, as: UTF8.self) else { return self }
                return .data(Data(Redaction.hidingItems(in: text).utf8))
            }
            return Redaction.hidingMembers(inJSON: data).map { .data($0) } ?? self
        case .joined(let bodies): return .joined(bodies.map { $0.redacted(in: header) })
        case .none, .file, .stream, .sequence, .invalid: return self
        }
    }
}
