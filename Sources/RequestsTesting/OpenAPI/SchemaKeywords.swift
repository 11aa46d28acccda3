import Foundation
import Requests

/// The keywords for strings and numbers.
extension [String: JSONValue] {
    /// Returns the faults of a string.
    func faults(of text: String) -> [String] {
        var faults: [String] = []
        // JSON Schema counts characters as Unicode scalars.
        let length = text.unicodeScalars.count
        if let limit = self["minLength"]?.count, length < limit { faults.append("is shorter than \(limit)") }
        if let limit = self["maxLength"]?.count, length > limit { faults.append("is longer than \(limit)") }
        if let pattern = self["pattern"]?.string, !SchemaKeywords.matches(text, pattern) {
            faults.append("doesn't match the pattern \(Redaction.quoted(pattern))")
        }
        if let format = self["format"]?.string, let isValid = SchemaKeywords.formats[format], !isValid(text) {
            faults.append("isn't a \(format)")
        }
        return faults
    }

    /// Returns the faults of a number.
    func faults(ofNumber value: JSONValue) -> [String] {
        guard let number = value.double else { return [] }
        var faults: [String] = []
        // In OpenAPI 3.0, the exclusive keywords are flags.
        if let limit = self["minimum"]?.double {
            let isExclusive = self["exclusiveMinimum"]?.isTrue == true
            if number < limit || (isExclusive && number == limit) { faults.append("is less than its minimum") }
        }
        if let limit = self["maximum"]?.double {
            let isExclusive = self["exclusiveMaximum"]?.isTrue == true
            if number > limit || (isExclusive && number == limit) { faults.append("is more than its maximum") }
        }
        if let limit = self["exclusiveMinimum"]?.double, number <= limit { faults.append("is less than its minimum") }
        if let limit = self["exclusiveMaximum"]?.double, number >= limit { faults.append("is more than its maximum") }
        if let factor = self["multipleOf"]?.double, factor > 0 {
            let quotient = number / factor
            // 0.3 is a multiple of 0.1, although the quotient of the binary numbers isn't whole.
            if abs(quotient - quotient.rounded()) > 1e-9 * Swift.max(1, abs(quotient)) {
                faults.append("isn't a multiple of its multipleOf")
            }
        }
        if self["format"]?.string == "int32", abs(number) > Double(Int32.max) + (number < 0 ? 1 : 0) {
            faults.append("isn't an int32")
        }
        return faults
    }
}

extension JSONValue {
    func isOf(type: String) -> Bool {
        switch self {
        case .null: type == "null"
        case .bool: type == "boolean"
        case .integer: type == "integer" || type == "number"
        case .number(let value): type == "number" || (type == "integer" && value.rounded() == value)
        case .string: type == "string"
        case .array: type == "array"
        case .object: type == "object"
        }
    }

    var typeName: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .integer, .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }

    func isSame(as other: JSONValue) -> Bool { paths(differingFrom: other).isEmpty }
}

/// What the validator knows about the keywords of schemas.
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

    /// Formats that hold for every value, or that are checked with the numbers.
    private static let harmlessFormats: Set<String> = ["int32", "int64", "float", "double", "password", "binary"]

    private static let checked: Set<String> = [
        "$ref", "type", "nullable", "enum", "const", "allOf", "anyOf", "oneOf", "not", "minItems", "maxItems",
        "uniqueItems", "items", "prefixItems", "properties", "required", "additionalProperties", "minProperties",
        "maxProperties", "readOnly", "writeOnly", "minLength", "maxLength", "pattern", "format", "minimum", "maximum",
        "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
    ]

    /// Keywords that don't restrict values.
    private static let annotations: Set<String> = [
        "title", "description", "default", "example", "examples", "deprecated", "externalDocs", "xml", "discriminator",
        "$id", "$schema", "$comment", "$defs", "definitions", "$anchor",
    ]

    /// Returns whether a string matches a pattern. A pattern that Swift can't read matches every string.
    static func matches(_ text: String, _ pattern: String) -> Bool {
        guard let expression = try? Regex(pattern) else { return true }
        return (try? expression.matchingSemantics(.unicodeScalar).firstMatch(in: text)) != nil
    }

    static func unchecked(in document: JSONValue) -> [String] {
        var found: Set<String> = []
        collect(document, isSchema: false, into: &found)
        return found.sorted()
    }

    private static func collect(_ value: JSONValue, isSchema: Bool, into found: inout Set<String>) {
        if let elements = value.elements {
            for element in elements { collect(element, isSchema: isSchema, into: &found) }
        }
        for (name, member) in value.members ?? [:] {
            if isSchema {
                if !checked.contains(name), !annotations.contains(name), !name.hasPrefix("x-") { found.insert(name) }
                if name == "format", let format = member.string, formats[format] == nil,
                    !harmlessFormats.contains(format)
                {
                    found.insert("format: \(Redaction.escaped(format))")
                }
            }
            if name == "$ref", let reference = member.string, !reference.hasPrefix("#") {
                found.insert("external $ref")
            }
            if ["example", "examples", "default", "enum", "const"].contains(name) { continue }
            if ["properties", "schemas", "$defs", "definitions", "patternProperties", "dependentSchemas"].contains(name)
            {
                for schema in (member.members ?? [:]).values { collect(schema, isSchema: true, into: &found) }
            } else {
                collect(member, isSchema: isSchema || name == "schema", into: &found)
            }
        }
    }
}
