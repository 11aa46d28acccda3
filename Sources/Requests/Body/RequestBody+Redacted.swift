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
            guard let text = String(validating: data, as: UTF8.self) else { return self }
            return RequestBody.redacted(text, type).map { .data(Data($0.utf8)) } ?? self
        case .joined(let bodies): return .joined(bodies.map { $0.redacted(in: header) })
        case .none, .file, .stream, .opener, .sequence, .invalid: return self
        }
    }

    /// Returns `nil` if there is nothing to redact.
    private static func redacted(_ text: String, _ type: MediaType?) -> String? {
        if type?.isForm == true { return redacted(form: text) }
        guard let json = try? JSONDecoder().decode(JSONValue.self, from: Data(text.utf8)), json.containsSecrets else {
            return nil
        }
        return (try? JSONCoders.standard.encoder.encode(json.redacted)).map { String(decoding: $0, as: UTF8.self) }
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

extension JSONValue {
    fileprivate var containsSecrets: Bool { self != redacted }

    fileprivate var redacted: JSONValue {
        switch self {
        case .object(let members):
            .object(
                Dictionary(
                    uniqueKeysWithValues: members.map { name, value in
                        let isSecret = Redaction.isSensitive(queryName: name) && value != .null
                        return (name, isSecret ? .string(Redaction.placeholder) : value.redacted)
                    }
                )
            )
        case .array(let elements): .array(elements.map(\.redacted))
        case .null, .bool, .integer, .number, .string: self
        }
    }
}
