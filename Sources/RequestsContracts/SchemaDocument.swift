import Requests

/// A document with its compiled patterns, its anchors, and what in its schemas isn't checked.
struct SchemaDocument: Sendable {
    /// The keywords that are checked, and the keywords that restrict nothing.
    private static let known: Set<String> = [
        "$ref", "type", "nullable", "enum", "const", "allOf", "anyOf", "oneOf", "not", "minItems", "maxItems",
        "uniqueItems", "items", "prefixItems", "properties", "required", "additionalProperties", "minProperties",
        "maxProperties", "readOnly", "writeOnly", "minLength", "maxLength", "pattern", "format", "minimum", "maximum",
        "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "patternProperties", "propertyNames",
        // Annotations, which restrict nothing.
        "title", "description", "default", "example", "examples", "deprecated", "externalDocs", "xml", "discriminator",
        "$schema", "$comment", "$defs", "definitions", "$anchor", "contentEncoding", "contentMediaType",
        "contentSchema",
    ]

    /// A kind of object in a document that contains schemas or leads to them.
    private enum Part: Hashable {
        case document, components, path, operation, message, schema

        /// The members to search. Each contains a part, a list of parts or, for a map, parts by name.
        var members: [String: (isMap: Bool, part: Part)] {
            switch self {
            case .document: ["paths": (true, .path), "webhooks": (true, .path), "components": (false, .components)]
            case .components:
                [
                    "schemas": (true, .schema), "pathItems": (true, .path), "parameters": (true, .message),
                    "headers": (true, .message), "requestBodies": (true, .message), "responses": (true, .message),
                ]
            case .path:
                Dictionary(uniqueKeysWithValues: OpenAPI.PathItem.methods.map { ($0, (false, .operation)) })
                    .merging(["parameters": (false, .message)]) { $1 }
            case .operation:
                ["parameters": (false, .message), "requestBody": (false, .message), "responses": (true, .message)]
            case .message: ["schema": (false, .schema), "content": (true, .message), "headers": (true, .message)]
            case .schema: Part.schemas
            }
        }

        private static let schemas: [String: (isMap: Bool, part: Part)] = [
            "properties": true, "patternProperties": true, "dependentSchemas": true, "$defs": true,
            "definitions": true, "allOf": false, "anyOf": false, "oneOf": false, "prefixItems": false, "items": false,
            "not": false, "additionalProperties": false, "propertyNames": false, "contains": false, "if": false,
            "then": false, "else": false, "unevaluatedItems": false, "unevaluatedProperties": false,
        ].mapValues { ($0, .schema) }
    }

    let root: JSONValue
    /// Whether the version is 3.0, which ignores keywords next to `$ref`.
    let isOld: Bool
    private(set) var unchecked: Set<String> = []
    private(set) var keywords: Set<String> = []
    /// The compiled patterns. `nil` for one that isn't supported.
    private var patterns: [String: SchemaPattern?] = [:]
    /// The references whose targets weren't searched yet.
    private var references: [(pointer: String, part: Part)] = []
    /// The schemas with a name, by the reference to them.
    private var anchors: [String: JSONValue] = [:]

    init(_ root: JSONValue, isOld: Bool) {
        (self.root, self.isOld) = (root, isOld)
        var pending = [(root, Part.document)]
        var seen: [String: Set<Part>] = [:]
        repeat {
            while let (value, part) = pending.popLast() { add(value, part, &pending) }
            // Schemas can lie outside of the known parts.
            for (pointer, part) in references where seen[pointer, default: []].insert(part).inserted {
                if let value = root.value(atPointer: pointer) { pending.append((value, part)) }
            }
            references = []
        } while !pending.isEmpty
        for pointer in seen.keys where target(of: pointer) == nil {
            unchecked.insert("$ref: \(Redaction.escaped(pointer))")
        }
    }

    /// Returns a compiled pattern. `nil` if it isn't supported.
    func pattern(_ text: String) -> SchemaPattern? { patterns[text] ?? nil }

    /// Returns the schema that a reference refers to. `nil` if it doesn't exist.
    func target(of pointer: String) -> JSONValue? { anchors[pointer] ?? root.value(atPointer: pointer) }

    /// Adds the parts of a value to a list, and its references to ``references``.
    private mutating func add(_ value: JSONValue, _ part: Part, _ pending: inout [(JSONValue, Part)]) {
        if let pointer = value["$ref"]?.string {
            if pointer.hasPrefix("#") { references.append((pointer, part)) } else { unchecked.insert("external $ref") }
            if isOld || part != .schema { return }
        }
        if part == .schema, let anchor = value["$anchor"]?.string { anchors["#\(anchor)"] = value }
        let parts = part.members
        for (name, member) in value.members ?? [:] {
            if part == .schema { note(name, member) }
            if part == .message, name == "content" { noteMediaTypes(of: member) }
            guard let (isMap, part) = parts[name] else { continue }
            let children = member.elements ?? (isMap ? Array((member.members ?? [:]).values) : [member])
            pending += children.map { ($0, part) }
        }
    }

    /// Compiles the patterns of a keyword, and adds the keyword to ``unchecked`` if it isn't checked.
    private mutating func note(_ name: String, _ value: JSONValue) {
        keywords.insert(name)
        switch (name, value.string) {
        case ("format", let format?) where SchemaFormats.all[format] == nil && !SchemaFormats.harmless.contains(format):
            unchecked.insert("format: \(Redaction.escaped(format))")
        case ("pattern", let pattern?): compile(pattern)
        case ("patternProperties", _): for pattern in (value.members ?? [:]).keys { compile(pattern) }
        case ("items", _) where value.elements != nil: unchecked.insert("items with an array")
        default: if !SchemaDocument.known.contains(name), !name.hasPrefix("x-") { unchecked.insert(name) }
        }
    }

    /// Adds the media types whose schemas aren't checked to ``unchecked``.
    private mutating func noteMediaTypes(of content: JSONValue) {
        for (name, media) in content.members ?? [:] where media["schema"] != nil {
            guard let type = MediaType(name), !type.isJSON, !type.isForm, type.subtype != "*" else { continue }
            unchecked.insert("content: \(Redaction.escaped(name))")
        }
    }

    private mutating func compile(_ pattern: String) {
        if patterns[pattern] == nil { patterns[pattern] = .some(SchemaPattern(pattern)) }
        if self.pattern(pattern) == nil { unchecked.insert("pattern: \(Redaction.escaped(pattern))") }
    }
}
