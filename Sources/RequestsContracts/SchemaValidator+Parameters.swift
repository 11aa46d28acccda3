import Requests

/// The values of parameters and forms, which are text with the types of a schema.
extension SchemaValidator {
    mutating func check(_ parameter: OpenAPI.Parameter, _ items: [OpenAPI.Parameter.Item]) {
        let place = "\(parameter.location).\(parameter.name)"
        guard let first = items.first else { return parameter.isRequired ? report(place, "is missing") : () }
        if parameter.allowsEmpty, items.count == 1, first.value.isEmpty { return }
        guard let value = value(of: parameter, items) else {
            return report(place, parameter.isJSON ? "isn't JSON" : "isn't in the style of the parameter")
        }
        if items.count > 1, !["array", "object"].contains(where: value.isOf(type:)) { report(place, "is repeated") }
        validate(value, parameter.schema, at: place)
    }

    /// Checks a header field. Its lines are one list (RFC 9110 §5.3).
    mutating func check(_ parameter: OpenAPI.Parameter, _ header: Header) {
        check(parameter, header[Field.Name(parameter.name)].map { [(parameter.name, $0)] } ?? [])
    }

    /// Returns the first reading of a parameter that conforms to its schema or, failing that, any reading.
    private func value(of parameter: OpenAPI.Parameter, _ items: [OpenAPI.Parameter.Item]) -> JSONValue? {
        let schema = parameter.schema
        if parameter.isJSON { return parameter.text(items).flatMap { JSONValue(parsing: Data($0.utf8)) } }
        if parameter.isDeep { return value(of: FormNode(items, under: parameter.name), schema) }
        let types = types(of: schema)
        var readings: [JSONValue] = []
        if types.contains("object"), let members = parameter.members(items) {
            let values = members.map { ($0, scalar($1, self.schema(ofMember: $0, in: schema))) }
            readings.append(.object(Dictionary(values) { $1 }))
        }
        if types.contains("array"), let elements = parameter.elements(items) {
            let schema = alternatives(flattened(schema).compactMap { $0["items"] })
            readings.append(.array(elements.map { scalar($0, schema) }))
        }
        let isPlain = types.isEmpty || types.contains { $0 != "object" && $0 != "array" }
        if isPlain || readings.isEmpty, let text = parameter.text(items) { readings.append(scalar(text, schema)) }
        return readings.count == 1 ? readings[0] : readings.first { fits($0, schema) } ?? readings.first
    }

    /// Returns the value of a form (`application/x-www-form-urlencoded`).
    func value(ofForm text: String, _ schema: JSONValue, encoding: JSONValue?) -> JSONValue {
        let items = OpenAPI.Parameter.items(of: text.replacing("+", with: "%20"))
        let declared = Set(flattened(schema).flatMap { ($0["properties"]?.members ?? [:]).keys })
        let fields = Dictionary(grouping: items) { item in
            declared.contains(item.name) ? item.name : String(item.name.prefix { $0 != "[" })
        }
        let members = fields.map { name, items -> (String, JSONValue) in
            let member = self.schema(ofMember: name, in: schema)
            guard let encoding = encoding?[name], items.allSatisfy({ $0.name == name }) else {
                return (name, value(of: FormNode(items, under: name), member))
            }
            return (name, value(of: .init(name, "query", encoding, schema: member), items) ?? .string(""))
        }
        return .object(Dictionary(members) { $1 })
    }

    private func value(of node: FormNode, _ schema: JSONValue) -> JSONValue {
        let types = types(of: schema)
        let elements = alternatives(flattened(schema).compactMap { $0["items"] })
        if node.members.isEmpty {
            let isArray = node.texts.count > 1 || types.contains("array") && !types.contains("string")
            if isArray { return .array(node.texts.map { scalar($0, elements) }) }
            return scalar(node.texts.first ?? "", schema)
        }
        guard types.contains("array"), node.members.keys.allSatisfy({ $0.isEmpty || Int($0) != nil }) else {
            let members = node.members.map { ($0, value(of: $1, self.schema(ofMember: $0, in: schema))) }
            return .object(Dictionary(members) { $1 })
        }
        let sorted = node.members.sorted { (Int($0.key) ?? .max) < (Int($1.key) ?? .max) }.map(\.value)
        return .array(
            sorted.flatMap { node in
                node.members.isEmpty ? node.texts.map { scalar($0, elements) } : [value(of: node, elements)]
            }
        )
    }

    private func schema(ofMember name: String, in schema: JSONValue) -> JSONValue {
        let all = flattened(schema)
        let declared = all.compactMap { $0["properties"]?[name] }
        return alternatives(declared.isEmpty ? all.compactMap { $0["additionalProperties"] } : declared)
    }

    private func alternatives(_ schemas: [JSONValue]) -> JSONValue {
        schemas.count > 1 ? ["anyOf": .array(schemas)] : schemas.first ?? .bool(true)
    }

    /// Returns the text as a JSON value that conforms to a schema or at least has its type, or else as a string.
    private func scalar(_ text: String, _ schema: JSONValue) -> JSONValue {
        var candidates: [JSONValue] = []
        let number = text.utf8.contains { $0 <= 0x20 } ? nil : JSONValue(parsing: Data(text.utf8))
        if let number, number.double != nil { candidates.append(number) }
        if text == "true" || text == "false" { candidates.append(.bool(text == "true")) }
        candidates.append(.string(text))
        guard candidates.count > 1 else { return candidates[0] }
        let types = types(of: schema)
        return candidates.first { fits($0, schema) }
            ?? candidates.first { types.contains(where: $0.isOf(type:)) } ?? .string(text)
    }

    /// Returns the types that a schema and its parts allow. Empty if it allows any.
    func types(of schema: JSONValue) -> Set<String> {
        Set(
            flattened(schema).flatMap { keywords -> [String] in
                let types = SchemaValidator.types(of: keywords)
                if !types.isEmpty { return types }
                return keywords["properties"] != nil ? ["object"] : keywords["items"] != nil ? ["array"] : []
            }
        )
    }
}

/// The fields of a form whose names have keys in brackets, such as `address[city]` and `tags[]`.
private final class FormNode {
    private(set) var texts: [String] = []
    private(set) var members: [String: FormNode] = [:]

    init(_ items: [OpenAPI.Parameter.Item] = [], under name: String = "") {
        for item in items {
            let keys = item.name.dropFirst(name.count).split(separator: "[").map { $0.last == "]" ? $0.dropLast() : $0 }
            var node = self
            // Bounds the depth. Further keys are ignored.
            for key in keys.prefix(20).map(String.init) {
                let next = node.members[key] ?? FormNode()
                node.members[key] = next
                node = next
            }
            node.texts.append(PathSegment.decoded(item.value))
        }
    }

}

extension OpenAPI.Parameter {
    /// Returns the items of a query or a form. Their values stay encoded, because an encoded separator is data.
    static func items(of query: String) -> [Item] {
        query.split(separator: "&").map { item in
            let (name, value) = String(item).split(at: "=")
            return (PathSegment.decoded(String(name)), String(value ?? ""))
        }
    }
}
