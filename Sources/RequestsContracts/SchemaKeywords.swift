import Requests

/// The checks of the keywords for strings, numbers and counts.
extension [String: JSONValue] {
    /// Returns the rules that a string violates.
    func faults(of text: String) -> [String] {
        var faults: [String] = []
        // JSON Schema counts Unicode scalars as characters.
        let length = text.unicodeScalars.count
        if let limit = self["minLength"]?.count, length < limit { faults.append("has fewer than \(limit) characters") }
        if let limit = self["maxLength"]?.count, length > limit { faults.append("has more than \(limit) characters") }
        if let pattern = self["pattern"]?.string, SchemaPattern(pattern)?.matches(text) == false {
            faults.append("doesn't match the pattern \(Redaction.quoted(pattern))")
        }
        if let format = self["format"]?.string, let isValid = SchemaKeywords.formats[format], !isValid(text) {
            faults.append("isn't in the format \(format)")
        }
        return faults
    }

    /// Returns the rules that the number of elements or members violates.
    ///
    /// - Parameter suffix: The end of the keywords' names: `Items` or `Properties`.
    func faults(ofCount count: Int, _ noun: String, _ suffix: String) -> [String] {
        var faults: [String] = []
        if let limit = self["min" + suffix]?.count, count < limit {
            faults.append("has \(count) \(noun), fewer than \(limit)")
        }
        if let limit = self["max" + suffix]?.count, count > limit {
            faults.append("has \(count) \(noun), more than \(limit)")
        }
        return faults
    }

    func faults(ofNumber value: JSONValue) -> [String] {
        guard let number = value.double else { return [] }
        var faults: [String] = []
        if isBeyond("minimum", "exclusiveMinimum", number, <) { faults.append("is less than the schema's minimum") }
        if isBeyond("maximum", "exclusiveMaximum", number, >) { faults.append("is more than the schema's maximum") }
        if let factor = self["multipleOf"]?.double, factor > 0 {
            let quotient = number / factor
            // The tolerance makes 0.3 a multiple of 0.1, although the binary quotient isn't whole.
            if abs(quotient - quotient.rounded()) > 1e-9 * Swift.max(1, abs(quotient)) {
                faults.append("isn't a multiple of \(factor)")
            }
        }
        if self["format"]?.string == "int32", abs(number) > Double(Int32.max) + (number < 0 ? 1 : 0) {
            faults.append("is out of the range of int32")
        }
        return faults
    }

    /// Returns whether a number is beyond a limit. In OpenAPI 3.0, the exclusive keyword is a Boolean.
    private func isBeyond(_ name: String, _ exclusive: String, _ number: Double, _ order: (Double, Double) -> Bool)
        -> Bool
    {
        let exclusive = self[exclusive]
        if let limit = self[name]?.double {
            if order(number, limit) || exclusive?.isTrue == true && number == limit { return true }
        }
        return exclusive?.double.map { !order($0, number) } ?? false
    }
}

extension JSONValue {
    /// The JSON Schema types of the value, and its type with an article for messages.
    private var types: (names: [String], shown: String) {
        switch self {
        case .null: (["null"], "null")
        case .bool: (["boolean"], "a boolean")
        case .number(let value) where value.rounded() != value: (["number"], "a number")
        case .integer, .decimal, .number: (["number", "integer"], "a number")
        case .string: (["string"], "a string")
        case .array: (["array"], "an array")
        case .object: (["object"], "an object")
        }
    }

    func isOf(type: String) -> Bool { types.names.contains(type) }

    var typeName: String { types.shown }
}

/// The keywords and formats that the validator supports.
enum SchemaKeywords {
    static let formats: [String: @Sendable (String) -> Bool] = [
        "date-time": { text in
            [true, false].contains { fraction in
                (try? Date.ISO8601FormatStyle(includingFractionalSeconds: fraction).parse(text)) != nil
            }
        },
        "date": { (try? Date.ISO8601FormatStyle().year().month().day().parse($0)) != nil && $0.utf8.count == 10 },
        "uuid": { UUID(uuidString: $0) != nil },
        "email": { $0.split(separator: "@", omittingEmptySubsequences: false).count(where: { !$0.isEmpty }) == 2 },
        "uri": { URL(string: $0)?.scheme != nil },
        "byte": { Data(base64Encoded: $0) != nil },
    ]

    /// Formats that allow every value, or that are checked together with numbers.
    private static let harmlessFormats: Set<String> = ["int32", "int64", "float", "double", "password", "binary"]

    /// The keywords that are checked, and the keywords that restrict nothing.
    private static let known: Set<String> = [
        "$ref", "type", "nullable", "enum", "const", "allOf", "anyOf", "oneOf", "not", "minItems", "maxItems",
        "uniqueItems", "items", "prefixItems", "properties", "required", "additionalProperties", "minProperties",
        "maxProperties", "readOnly", "writeOnly", "minLength", "maxLength", "pattern", "format", "minimum", "maximum",
        "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
        // Annotations, which restrict nothing.
        "title", "description", "default", "example", "examples", "deprecated", "externalDocs", "xml", "discriminator",
        "$id", "$schema", "$comment", "$defs", "definitions", "$anchor",
    ]

    /// A kind of object in a document that contains schemas or leads to them.
    private enum Part {
        case document, components, path, operation, message, schema

        /// The members to search: each is a part, or contains parts by name or in a list.
        var members: [String: (shape: Shape, part: Part)] {
            switch self {
            case .document: ["paths": (.map, .path), "webhooks": (.map, .path), "components": (.one, .components)]
            case .components:
                [
                    "schemas": (.map, .schema), "pathItems": (.map, .path), "parameters": (.map, .message),
                    "headers": (.map, .message), "requestBodies": (.map, .message), "responses": (.map, .message),
                ]
            case .path:
                Dictionary(uniqueKeysWithValues: OpenAPI.PathItem.methods.map { ($0, (.one, .operation)) })
                    .merging(["parameters": (.list, .message)]) { $1 }
            case .operation:
                ["parameters": (.list, .message), "requestBody": (.one, .message), "responses": (.map, .message)]
            case .message: ["schema": (.one, .schema), "content": (.map, .message), "headers": (.map, .message)]
            case .schema: Part.schemas
            }
        }

        private static let schemas: [String: (shape: Shape, part: Part)] = [
            "properties": .map, "patternProperties": .map, "dependentSchemas": .map, "$defs": .map, "definitions": .map,
            "allOf": .list, "anyOf": .list, "oneOf": .list, "prefixItems": .list, "items": .one, "not": .one,
            "additionalProperties": .one, "propertyNames": .one, "contains": .one, "if": .one, "then": .one,
            "else": .one, "unevaluatedItems": .one, "unevaluatedProperties": .one,
        ].mapValues { ($0, .schema) }
    }

    private enum Shape {
        case one, list, map
    }

    static func unchecked(in document: JSONValue) -> [String] {
        var found: Set<String> = []
        collect(document, .document, into: &found)
        return found.sorted()
    }

    private static func collect(_ value: JSONValue, _ part: Part, into found: inout Set<String>) {
        let parts = part.members
        for (name, member) in value.members ?? [:] {
            if name == "$ref", member.string?.hasPrefix("#") == false { found.insert("external $ref") }
            if part == .schema, let keyword = unchecked(name, member) { found.insert(keyword) }
            guard let (shape, part) = parts[name] else { continue }
            let children =
                switch shape {
                case .one: [member]
                case .list: member.elements ?? []
                case .map: Array((member.members ?? [:]).values)
                }
            for child in children { collect(child, part, into: &found) }
        }
    }

    /// Returns the text for ``OpenAPI/unchecked`` about a keyword. `nil` if it is checked or restricts nothing.
    private static func unchecked(_ name: String, _ value: JSONValue) -> String? {
        switch (name, value.string) {
        case ("format", let format?) where formats[format] == nil && !harmlessFormats.contains(format):
            "format: \(Redaction.escaped(format))"
        case ("pattern", let pattern?) where SchemaPattern(pattern) == nil: "pattern: \(Redaction.escaped(pattern))"
        default: known.contains(name) || name.hasPrefix("x-") ? nil : name
        }
    }
}
