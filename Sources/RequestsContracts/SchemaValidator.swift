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
        /// The hidden members, which depend on the schemas that contain the reference.
        let hidden: Set<String>
    }

    /// A member or an element with its schema. `nil` if there must be none.
    private typealias Child = (value: JSONValue, schema: JSONValue?, place: String)
    private typealias Keywords = [String: JSONValue]

    // Bounds stack use, because tasks on Apple platforms have small stacks.
    private static let maximumDepth = 300

    let schemas: SchemaDocument
    private var depth = 0
    /// The members of the current object that are read-only or write-only in any of its schemas.
    private var hidden: Set<String> = []
    /// Whether read-only members are forbidden (in requests) or write-only ones (in responses).
    let isRequest: Bool
    /// Returns what else is wrong with a value that is checked against a referenced schema.
    private let validate: (@Sendable (JSONValue, String) -> [String])?
    private(set) var violations: [OpenAPI.Violation] = []
    private var reported: Set<OpenAPI.Violation> = []
    /// The results so far, because a recursive schema can lead to the same check in exponentially many ways. `nil` for
    /// a check that hasn't ended.
    private var results: [Reference: [OpenAPI.Violation]?] = [:]

    init(_ schemas: SchemaDocument, isRequest: Bool, _ validate: (@Sendable (JSONValue, String) -> [String])?) {
        (self.schemas, self.isRequest, self.validate) = (schemas, isRequest, validate)
    }

    mutating func report(_ place: String, _ message: String) {
        let violation = OpenAPI.Violation(place: place, message: message)
        if reported.insert(violation).inserted { violations.append(violation) }
    }

    func fits(_ value: JSONValue, _ schema: JSONValue) -> Bool {
        var copy = SchemaValidator(schemas, isRequest: isRequest, validate)
        return copy.faults(of: value, schema, at: "").isEmpty
    }

    /// Returns the violations of a value without adding them to ``violations``.
    private mutating func faults(of value: JSONValue, _ schema: JSONValue, at place: String) -> [OpenAPI.Violation] {
        let outer = (violations, reported, hidden, depth)
        (violations, reported, depth) = ([], [], depth + 1)
        hidden.formUnion(hiddenMembers(of: schema))
        defer { (violations, reported, hidden, depth) = outer }
        apply(schema, to: value, at: place)
        return violations
    }

    /// Checks a value against a referenced schema.
    private mutating func follow(_ keywords: Keywords, _ value: JSONValue, at place: String) {
        guard let pointer = keywords["$ref"]?.string else { return }
        let reference = Reference(pointer: pointer, place: place, value: value, hidden: hidden)
        guard let schema = begin(reference) else { return }
        let others = validate?(value, pointer) ?? []
        let found = faults(of: value, schema, at: place) + others.map { .init(place: place, message: $0) }
        results[reference] = found
        found.forEach { report($0.place, $0.message) }
    }

    /// Returns the schema of a reference, or `nil` if it can't be checked or was checked before.
    private mutating func begin(_ reference: Reference) -> JSONValue? {
        if let known = results[reference] {
            if known == nil { report(reference.place, "can't be checked, because its schema refers to itself") }
            known?.forEach { report($0.place, $0.message) }
            return nil
        }
        guard let schema = schemas.target(of: reference.pointer) else {
            report(reference.place, "can't be checked: \(Redaction.quoted(reference.pointer)) isn't in the document")
            return nil
        }
        results[reference] = .some(nil)
        return schema
    }

    /// Checks a member or an element, or the value of a whole part of a message.
    mutating func validate(_ value: JSONValue, _ schema: JSONValue?, at place: String) {
        guard let schema else { return report(place, "isn't declared in the schema") }
        let outer = hidden
        hidden = hiddenMembers(of: schema)
        apply(schema, to: value, at: place)
        hidden = outer
    }

    /// Checks a value against a schema. The recursive functions have few variables, which bounds the stack.
    private mutating func apply(_ schema: JSONValue, to value: JSONValue, at place: String) {
        let keywords = keywords(of: schema)
        guard check(value, keywords, at: place) else { return }
        depth += 1
        follow(keywords, value, at: place)
        applyAll(keywords, value, at: place)
        combine("anyOf", keywords, value, at: place)
        combine("oneOf", keywords, value, at: place)
        combine("not", keywords, value, at: place)
        validateChildren(keywords, value, at: place)
        depth -= 1
    }

    private mutating func applyAll(_ keywords: Keywords, _ value: JSONValue, at place: String) {
        for schema in keywords["allOf"]?.elements ?? [] { apply(schema, to: value, at: place) }
    }

    private mutating func validateChildren(_ keywords: Keywords, _ value: JSONValue, at place: String) {
        for child in children(of: value, keywords, at: place) { validate(child.value, child.schema, at: child.place) }
    }

    /// Returns the keywords that count. A Boolean schema is `{}` or `{"not": {}}`.
    private func keywords(of schema: JSONValue) -> Keywords {
        if schema == .bool(false) { return ["not": true] }
        guard schemas.isOld, let reference = schema["$ref"] else { return schema.members ?? [:] }
        return ["$ref": reference]
    }

    /// Checks the keywords that contain no schemas.
    ///
    /// - Returns: Whether to check the other keywords, too.
    private mutating func check(_ value: JSONValue, _ keywords: Keywords, at place: String) -> Bool {
        guard depth < SchemaValidator.maximumDepth else {
            report(place, "can't be checked, because it is nested too deeply; flatten it")
            return false
        }
        let types = SchemaValidator.types(of: keywords)
        let isNullable = value == .null && schemas.isOld && keywords["nullable"]?.isTrue == true
        guard types.isEmpty || isNullable || types.contains(where: value.isOf(type:)) else {
            report(place, "is \(value.typeName), not \(types.joined(separator: " or "))")
            return false
        }
        if let allowed = keywords["enum"]?.elements, !allowed.contains(where: value.isExactly) {
            report(place, "isn't one of the \(allowed.count) values of its enum")
        }
        if let constant = keywords["const"], !constant.isExactly(value) {
            report(place, "isn't the value of its const")
        }
        let faults: [String] =
            switch value {
            case .string(let text): keywords.faults(of: text, schemas)
            case .integer, .decimal, .number: keywords.faults(ofNumber: value)
            case .array(let elements): keywords.faults(ofCount: elements.count, "elements", "Items")
            case .object(let members): keywords.faults(ofCount: members.values.count, "members", "Properties")
            case .null, .bool: []
            }
        for message in faults { report(place, message) }
        return true
    }

    static func types(of keywords: [String: JSONValue]) -> [String] {
        keywords["type"]?.string.map { [$0] } ?? keywords["type"]?.elements?.compactMap(\.string) ?? []
    }

    /// Returns the members that any schema of an object declares as read-only (in requests) or write-only.
    private func hiddenMembers(of schema: JSONValue) -> Set<String> {
        let keyword = isRequest ? "readOnly" : "writeOnly"
        guard schemas.keywords.contains(keyword) else { return [] }
        func isHidden(_ property: JSONValue) -> Bool {
            flattened(property, ["allOf"]).contains { $0[keyword]?.isTrue == true }
        }
        let properties = flattened(schema, ["allOf"]).map { $0["properties"]?.members ?? [:] }
        return Set(properties.flatMap { $0.filter { isHidden($0.value) }.keys })
    }

    private mutating func combine(_ name: String, _ keywords: Keywords, _ value: JSONValue, at place: String) {
        guard let schemas = keywords[name] else { return }
        var found: [[OpenAPI.Violation]] = []
        for schema in schemas.elements ?? [schemas] { found.append(faults(of: value, schema, at: place)) }
        report(schemas == .bool(true) ? "false" : name, found, at: place)
    }

    private mutating func report(_ name: String, _ found: [[OpenAPI.Violation]], at place: String) {
        let count = found.count(where: \.isEmpty)
        if name == "false" {
            report(place, "isn't allowed")
        } else if name == "not", count > 0 {
            report(place, "matches the schema of not; it must not match")
        } else if name != "not", count == 0, !found.isEmpty {
            let hint = found.min { $0.count < $1.count }?.first.map { "; the closest: \($0)" } ?? ""
            report(place, "matches none of the \(found.count) schemas of \(name)\(hint)")
        } else if name == "oneOf", count > 1 {
            report(place, "matches \(count) schemas of oneOf; exactly 1 must match")
        }
    }

    /// Checks the names of members, and returns the members or elements with their schemas.
    private mutating func children(of value: JSONValue, _ keywords: Keywords, at place: String) -> [Child] {
        if let members = value.members { return children(members, keywords, at: place) }
        guard let elements = value.elements else { return [] }
        if keywords["uniqueItems"]?.isTrue == true, Set(elements).count < elements.count {
            report(place, "has equal elements")
        }
        let first = keywords["prefixItems"]?.elements ?? []
        return elements.enumerated().compactMap { index, element in
            let schema = index < first.count ? first[index] : keywords["items"]
            return schema.map { (element, $0, "\(place)[\(index)]") }
        }
    }

    private mutating func children(_ members: Keywords, _ keywords: Keywords, at place: String) -> [Child] {
        let properties = keywords["properties"]?.members ?? [:]
        for name in keywords["required"]?.elements?.compactMap(\.string) ?? [] where members[name] == nil {
            if !hidden.contains(name) { report("\(place).\(name)", "is missing") }
        }
        let patterns = (keywords["patternProperties"]?.members ?? [:]).sorted { $0.key < $1.key }
            .compactMap { key, schema in schemas.pattern(key).map { (pattern: $0, schema: schema) } }
        // Without a pattern that isn't supported, it is unknown which members are additional.
        let knowsAll = patterns.count == keywords["patternProperties"]?.members?.count ?? 0
        var children: [Child] = []
        for (name, member) in members.sorted(by: { $0.key < $1.key }) {
            let path = "\(place).\(Redaction.escaped(name))"
            if hidden.contains(name) { report(path, "is \(isRequest ? "read" : "write")-only") }
            if let schema = keywords["propertyNames"], !fits(.string(name), schema) {
                report(path, "has a name that isn't allowed")
            }
            var found: [JSONValue?] = patterns.filter { $0.pattern.matches(name) }.map(\.schema)
            if let schema = properties[name] { found.append(schema) }
            if found.isEmpty, knowsAll, let schema = keywords["additionalProperties"] {
                found = [schema == .bool(false) ? .none : .some(schema)]
            }
            children += found.map { (member, $0, path) }
        }
        return children
    }

    /// Returns a schema with its parts and the targets of its references, at most 200 objects.
    func flattened(_ schema: JSONValue, _ names: [String] = ["allOf", "anyOf", "oneOf"]) -> [[String: JSONValue]] {
        var (found, pending, seen) = ([[String: JSONValue]](), [schema], Set<String>())
        while let schema = pending.popLast(), found.count < 200 {
            guard let keywords = schema.members else { continue }
            found.append(keywords)
            if let pointer = keywords["$ref"]?.string, seen.insert(pointer).inserted {
                pending += [schemas.target(of: pointer)].compactMap(\.self)
            }
            for name in names { pending += keywords[name]?.elements ?? [] }
        }
        return found
    }
}
