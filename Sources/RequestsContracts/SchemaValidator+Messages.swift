import Requests

/// The checks of a message's body.
extension SchemaValidator {
    /// Checks a body against the document's declaration of a request body or a response.
    mutating func check(_ body: RequestBody, type: String?, against declared: JSONValue?) {
        guard let declared else {
            if !body.isNone { report("body", "isn't declared in the document") }
            return
        }
        let content = declared["content"]?.members ?? [:]
        let type = type.flatMap { MediaType($0) }
        guard !body.isNone else {
            // Text can be empty, and a request body is optional by default.
            let isText = type.map { !$0.isJSON && SchemaValidator.media(for: $0, in: content) != nil } ?? false
            if declared["required"]?.isTrue == true || !isRequest, !isText { report("body", "is missing") }
            return
        }
        guard let type else { return report("header.Content-Type", "is missing") }
        guard let media = SchemaValidator.media(for: type, in: content) else {
            let known = content.keys.sorted().joined(separator: ", ")
            return report("header.Content-Type", "is \(type.type)/\(type.subtype), not \(known)")
        }
        guard let schema = media["schema"], let data = body.data else { return }
        if type.isJSON {
            guard let value = JSONValue(parsing: data) else { return report("body", "isn't JSON") }
            validate(value, schema, at: "body")
        } else if type.isForm {
            guard let text = String(validating: data, as: UTF8.self) else { return report("body", "isn't UTF-8") }
            validate(value(ofForm: text, schema, encoding: media["encoding"]), schema, at: "body")
        }
    }

    /// Returns the entry for a media type: an exact one or, failing that, a range such as `application/*`.
    private static func media(for type: MediaType, in content: [String: JSONValue]) -> JSONValue? {
        let entries = content.map { (ASCII.lowercased(String($0.key.prefix { $0 != ";" })), $0.value) }
        let names = ["\(type.type)/\(type.subtype)", "\(type.type)/*", "*/*"]
        return names.lazy.compactMap { name in entries.first { $0.0 == name }?.1 }.first
    }
}
