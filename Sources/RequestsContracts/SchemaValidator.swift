import Requests

/// A validator that checks JSON values against the schemas of a document.
///
/// Its messages contain no values, because these may be secrets.
struct SchemaValidator {
    /// The check of a value against a referenced schema.
    private struct Reference: Hashable {
        let pointer: String
        let place: String
        let value: JSONValue
    }

    private enum Result {
        case pending
        case known([OpenAPI.Violation])
    }

    // Bounds stack use, because tasks on Apple platforms have small stacks.
    private static let maximumDepth = 150

    let document: JSONValue
    private var depth = 0
    /// Whether read-only members are forbidden (in requests) or write-only ones (in responses).
    var isRequest = false
    private(set) var violations: [OpenAPI.Violation] = []
    private var reported: Set<OpenAPI.Violation> = []
    /// The results so far, because a recursive schema can lead to the same check in exponentially many ways.
    private var results: [Reference: Result] = [:]

    init(document: JSONValue) {
        self.document = document
    }

    mutating func report(_ place: String, _ message: String) {
        report(OpenAPI.Violation(place: place, message: message))
    }

    private mutating func report(_ violation: OpenAPI.Violation) {
        if reported.insert(violation).inserted { violations.append(violation) }
    }

    func fits(_ value: JSONValue, _ schema: JSONValue) -> Bool {
        var copy = SchemaValidator(document: document)
        copy.isRequest = isRequest
        return copy.violations(of: value, schema, at: "").isEmpty
    }

    /// Returns the violations of a value without adding them to ``violations``.
    private mutating func violations(of value: JSONValue, _ schema: JSONValue, at place: String) -> [OpenAPI.Violation]
    {
        let outer = (violations, reported)
        (violations, reported) = ([], [])
        defer { (violations, reported) = outer }
        validate(value, schema, at: place)
        return violations
    }

    /// Checks a value against a referenced schema.
    private mutating func follow(_ pointer: String, _ value: JSONValue, at place: String) {
        guard let schema = document.value(atPointer: pointer) else { return }
        let reference = Reference(pointer: pointer, place: place, value: value)
        switch results[reference] {
        case .pending: report(place, "can't be checked, because its schema refers to itself")
        case .known(let violations): for violation in violations { report(violation) }
        case nil:
            results[reference] = .pending
            let found = violations(of: value, schema, at: place)
            results[reference] = .known(found)
            for violation in found { report(violation) }
        }
    }

    mutating func validate(_ value: JSONValue, _ schema: JSONValue, at place: String) {
        guard depth < SchemaValidator.maximumDepth else {
            return report(place, "can't be checked, because it is nested too deeply; flatten it")
        }
        depth += 1
        defer { depth -= 1 }
        guard let keywords = schema.members else {
            if schema == .bool(false) { report(place, "isn't allowed") }
            return
        }
        if let pointer = keywords["$ref"]?.string { follow(pointer, value, at: place) }
        if value == .null, keywords["nullable"]?.isTrue == true { return }
        let types = types(of: schema)
        guard types.isEmpty || types.contains(where: value.isOf(type:)) else {
            return report(place, "is \(value.typeName), not \(types.joined(separator: " or "))")
        }
        if let allowed = keywords["enum"]?.elements, !allowed.contains(value) {
            report(place, "isn't one of the \(allowed.count) values of its enum")
        }
        if let constant = keywords["const"], constant != value {
            report(place, "isn't the value of its const")
        }
        combine(value, keywords, at: place)
        switch value {
        case .string(let text):
            for message in keywords.faults(of: text) { report(place, message) }
        case .integer, .decimal, .number:
            for message in keywords.faults(ofNumber: value) { report(place, message) }
        case .array(let elements): validate(elements.values, keywords, at: place)
        case .object(let members): validate(members.values, keywords, at: place)
        case .null, .bool: break
        }
    }

    private mutating func combine(_ value: JSONValue, _ keywords: [String: JSONValue], at place: String) {
        for schema in keywords["allOf"]?.elements ?? [] { validate(value, schema, at: place) }
        for name in ["anyOf", "oneOf"] {
            guard let schemas = keywords[name]?.elements, !schemas.isEmpty else { continue }
            let found = schemas.map { violations(of: value, $0, at: place) }
            let count = found.count(where: \.isEmpty)
            if count == 0 {
                let closest = found.min { $0.count < $1.count }?.first
                let hint = closest.map { "; the closest: \($0)" } ?? ""
                report(place, "matches none of the \(schemas.count) schemas of \(name)\(hint)")
            } else if name == "oneOf", count > 1 {
                report(place, "matches \(count) schemas of oneOf; exactly 1 must match")
            }
        }
        if let schema = keywords["not"], violations(of: value, schema, at: place).isEmpty {
            report(place, "matches the schema of not; it must not match")
        }
    }

    private mutating func validate(_ elements: [JSONValue], _ keywords: [String: JSONValue], at place: String) {
        for message in keywords.faults(ofCount: elements.count, "elements", "Items") { report(place, message) }
        if keywords["uniqueItems"]?.isTrue == true, Set(elements).count < elements.count {
            report(place, "has equal elements")
        }
        let first = keywords["prefixItems"]?.elements ?? []
        for (index, element) in elements.enumerated() {
            guard let schema = index < first.count ? first[index] : keywords["items"] else { break }
            validate(element, schema, at: "\(place)[\(index)]")
        }
    }

    private mutating func validate(_ members: [String: JSONValue], _ keywords: [String: JSONValue], at place: String) {
        let properties = keywords["properties"]?.members ?? [:]
        let hidden = isRequest ? "readOnly" : "writeOnly"
        func isHidden(_ name: String) -> Bool {
            properties[name]?.resolved(in: document)[hidden]?.isTrue == true
                || properties[name]?[hidden]?.isTrue == true
        }
        for name in keywords["required"]?.elements?.compactMap(\.string) ?? [] where members[name] == nil {
            if !isHidden(name) { report("\(place).\(name)", "is missing") }
        }
        for message in keywords.faults(ofCount: members.count, "members", "Properties") { report(place, message) }
        for (name, member) in members.sorted(by: { $0.key < $1.key }) {
            let path = "\(place).\(Redaction.escaped(name))"
            if isHidden(name) { report(path, "is \(isRequest ? "read" : "write")-only") }
            if properties[name] == nil, keywords["additionalProperties"] == .bool(false) {
                report(path, "isn't declared in the schema")
            } else if let schema = properties[name] ?? keywords["additionalProperties"] {
                validate(member, schema, at: path)
            }
        }
    }
}
