import Requests

extension OpenAPI {
    /// A parameter of an operation, a header of a response, or a property of a form.
    struct Parameter: Sendable {
        /// A query item or form field with its decoded name and its value, which is still percent-encoded.
        typealias Item = (name: String, value: String)

        let name: String
        /// `path`, `query`, `header` or `cookie`.
        let location: String
        let isRequired: Bool
        let schema: JSONValue
        let allowsEmpty: Bool
        var isDeep: Bool { style == "deepObject" }
        /// Whether an array repeats the parameter, and an object has an item for each member.
        let explodes: Bool
        private let style: String
        /// Whether the value is JSON text.
        let isJSON: Bool

        init?(_ value: JSONValue) {
            guard let name = value["name"]?.string, let location = value["in"]?.string else { return nil }
            self.init(name, location, value)
        }

        init(_ name: String, _ location: String, _ value: JSONValue, schema: JSONValue? = nil) {
            let content = value["content"]?.members?.first
            self.name = name
            self.location = location
            isRequired = value["required"]?.isTrue == true || location == "path"
            allowsEmpty = value["allowEmptyValue"]?.isTrue == true
            style = value["style"]?.string ?? (["path", "header"].contains(location) ? "simple" : "form")
            explodes = value["explode"]?.isTrue ?? (style == "form")
            isJSON = (content?.key ?? value["contentType"]?.string).flatMap { MediaType($0) }?.isJSON == true
            self.schema = schema ?? value["schema"] ?? content?.value["schema"] ?? .bool(true)
        }

        /// Returns the items of the query or of a form that belong to the parameter.
        ///
        /// - Parameters:
        ///   - isObject: Whether the parameter can be an object, whose members can be items.
        ///   - declared: The names of all parameters, which aren't members.
        func items(in items: [Item], isObject: Bool, declared: Set<String>) -> [Item] {
            let takesOthers = isObject && explodes && style == "form"
            return items.filter { item in
                item.name == name || takesOthers && !declared.contains(item.name)
                    || isDeep && item.name.hasPrefix("\(name)[")
            }
        }

        /// Removes what the style puts before the value. `nil` if it is missing.
        private func content(of text: String) -> String? {
            switch style {
            case "label": text.hasPrefix(".") ? String(text.dropFirst()) : nil
            case "matrix" where text.hasPrefix(";\(name)="): String(text.dropFirst(name.count + 2))
            case "matrix": explodes && text.hasPrefix(";") ? String(text.dropFirst()) : nil
            default: text
            }
        }

        private func decoded(_ text: String) -> String {
            location == "header" ? text.trimmingFieldWhitespace() : PathSegment.decoded(text)
        }

        /// Returns the decoded value of a parameter that is neither an array nor an object.
        func text(_ items: [Item]) -> String? { items.first.flatMap { content(of: $0.value) }.map(decoded) }

        /// Returns the decoded elements of an array.
        func elements(_ items: [Item]) -> [String]? {
            if style == "form", explodes { return items.map { decoded($0.value) } }
            return pieces(items)?.map { piece in
                let start = "\(name)="
                let isNamed = style == "matrix" && piece.hasPrefix(start)
                return decoded(isNamed ? String(piece.dropFirst(start.count)) : piece)
            }
        }

        /// Returns the decoded members of an object.
        func members(_ items: [Item]) -> [(String, String)]? {
            if style == "form", explodes { return items.map { ($0.name, decoded($0.value)) } }
            guard let pieces = pieces(items) else { return nil }
            if explodes {
                return pieces.map { $0.split(at: "=") }.map { (decoded(String($0)), decoded(String($1 ?? ""))) }
            }
            guard pieces.count.isMultiple(of: 2) else { return nil }
            return stride(from: 0, to: pieces.count, by: 2).map { (decoded(pieces[$0]), decoded(pieces[$0 + 1])) }
        }

        /// Splits the encoded value, because an encoded separator is data.
        private func pieces(_ items: [Item]) -> [String]? {
            guard let text = content(of: items.map(\.value).joined(separator: ",")) else { return nil }
            let listSeparators = ["spaceDelimited": ["%20", "+", " "], "pipeDelimited": ["|", "%7C", "%7c"]]
            let explodedSeparators = explodes ? ["label": ["."], "matrix": [";"]][style] : nil
            let separators = listSeparators[style] ?? explodedSeparators ?? [","]
            // No encoded text contains this character.
            let unified = separators.reduce(text) { $0.replacing($1, with: "\0") }
            return unified.split(separator: "\0", omittingEmptySubsequences: false).map(String.init)
        }
    }
}
