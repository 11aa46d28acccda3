import Requests

/// The checks of a message's parameters, headers and body.
extension SchemaValidator {
    mutating func check(_ parameter: OpenAPI.Operation.Parameter, _ values: [String]) {
        let place = "\(parameter.location).\(parameter.name)"
        guard let first = values.first else {
            if parameter.isRequired { report(place, "is missing") }
            return
        }
        let schema = parameter.schema.resolved(in: document)
        guard !isObject(schema) else { return }
        guard types(of: schema).contains("array") else {
            if values.count > 1 { report(place, "is repeated") }
            return validate(text: first, schema, at: place)
        }
        let isSplit = !parameter.explodes || parameter.location != "query"
        let texts = isSplit ? first.split(separator: ",", omittingEmptySubsequences: false).map(String.init) : values
        let items = schema["items"] ?? .bool(true)
        validate(.array(texts.map { best($0, items) }), schema, at: place)
    }

    /// Checks a body against the document's declaration of a request body or a response.
    mutating func check(_ body: RequestBody, type: String?, against declared: JSONValue?) {
        guard let declared else {
            if !body.isNone { report("body", "isn't declared in the document") }
            return
        }
        guard !body.isNone else {
            // A response with declared content needs a body. A request body is optional by default.
            if declared["required"]?.isTrue == true || !isRequest { report("body", "is missing") }
            return
        }
        let content = declared["content"]?.members ?? [:]
        guard let type = type.flatMap({ MediaType($0) }) else { return report("header.Content-Type", "is missing") }
        guard let media = SchemaValidator.media(for: type, in: content) else {
            let known = content.keys.sorted().joined(separator: ", ")
            return report("header.Content-Type", "is \(type.type)/\(type.subtype), not \(known)")
        }
        guard let schema = media["schema"], let data = body.data else { return }
        if type.isJSON {
            guard let value = JSONValue(parsing: data) else { return report("body", "isn't JSON") }
            validate(value, schema, at: "body")
        } else if type.isForm, let text = String(validating: data, as: UTF8.self) {
            let items = QueryItem.items(of: text.replacing("+", with: "%20")[...])
            let properties = schema.resolved(in: document)["properties"]
            let members = items.map { ($0.name, best($0.value ?? "", properties?[$0.name] ?? .bool(true))) }
            validate(.object(Dictionary(members) { $1 }), schema, at: "body")
        }
    }

    /// Returns the entry for a media type: an exact one or, failing that, a range such as `application/*`.
    private static func media(for type: MediaType, in content: [String: JSONValue]) -> JSONValue? {
        let entries = content.map { (ASCII.lowercased(String($0.key.prefix { $0 != ";" })), $0.value) }
        let names = ["\(type.type)/\(type.subtype)", "\(type.type)/*", "*/*"]
        return names.lazy.compactMap { name in entries.first { $0.0 == name }?.1 }.first
    }

    /// Checks a text parameter as the JSON value that it represents.
    mutating func validate(text: String, _ schema: JSONValue, at place: String) {
        validate(best(text, schema), schema, at: place)
    }

    /// Returns the text as a JSON value that conforms to a schema or at least has its type, or else as a string.
    private func best(_ text: String, _ schema: JSONValue) -> JSONValue {
        var candidates: [JSONValue] = []
        if let number = JSONValue(parsing: Data(text.utf8)), number.double != nil { candidates.append(number) }
        if text == "true" || text == "false" { candidates.append(.bool(text == "true")) }
        candidates.append(.string(text))
        let types = types(of: schema.resolved(in: document))
        return candidates.first { fits($0, schema) }
            ?? candidates.first { types.contains(where: $0.isOf(type:)) } ?? .string(text)
    }

    func isObject(_ schema: JSONValue) -> Bool { types(of: schema.resolved(in: document)).contains("object") }

    func types(of schema: JSONValue) -> [String] {
        schema["type"]?.string.map { [$0] } ?? schema["type"]?.elements?.compactMap(\.string) ?? []
    }
}
