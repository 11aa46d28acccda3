import Requests

extension OpenAPI {
    /// A path template of a document with its operations.
    struct PathItem: Sendable {
        enum Segment: Sendable {
            case literal(String)
            /// An expression, which can have text around it, as in `{name}.json`.
            case variable(String, prefix: String, suffix: String)
        }

        static let methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace"]

        let template: String
        let segments: [Segment]
        /// The operations by uppercase method.
        let operations: [String: Operation]

        init(_ template: String, _ value: JSONValue, in document: JSONValue) {
            self.template = template
            segments = PathItem.segments(of: template).map(Segment.init)
            let item = value.resolved(in: document)
            var operations: [String: Operation] = [:]
            for method in PathItem.methods {
                guard let operation = item[method] else { continue }
                operations[method.uppercased()] = Operation(operation, shared: item["parameters"], in: document)
            }
            self.operations = operations
        }

        static func segments(of path: String) -> [String] {
            path.isEmpty ? [] : PathSegment.all(of: path[...])
        }

        var literalCount: Int { segments.count { if case .literal = $0 { true } else { false } } }

        /// Returns the values of the template's parameters, or `nil` if the path doesn't match.
        func parameters(in path: [String]) -> [String: String]? {
            var parameters: [String: String] = [:]
            for (segment, text) in zip(segments, path) {
                switch segment {
                case .literal(let literal): guard literal == text else { return nil }
                case .variable(let name, let prefix, let suffix):
                    guard text.count > prefix.count + suffix.count, text.hasPrefix(prefix), text.hasSuffix(suffix)
                    else {
                        return nil
                    }
                    parameters[name] = String(text.dropFirst(prefix.count).dropLast(suffix.count))
                }
            }
            return parameters
        }
    }

    /// An operation of a document.
    struct Operation: Sendable {
        struct Parameter: Sendable {
            let name: String
            /// `path`, `query`, `header` or `cookie`.
            let location: String
            let isRequired: Bool
            /// Whether an array repeats the parameter for each value instead of joining them with commas.
            let explodes: Bool
            let schema: JSONValue
        }

        let parameters: [Parameter]
        /// `nil` if the operation has no body.
        let body: JSONValue?
        let responses: [String: JSONValue]

        init(_ value: JSONValue, shared: JSONValue?, in document: JSONValue) {
            let all = (shared?.elements ?? []) + (value["parameters"]?.elements ?? [])
            var parameters: [String: Parameter] = [:]
            for value in all.map({ $0.resolved(in: document) }) {
                guard let name = value["name"]?.string, let location = value["in"]?.string else { continue }
                // An operation's parameter comes later and replaces the path's parameter of the same name.
                parameters["\(location).\(name)"] = Parameter(
                    name: name,
                    location: location,
                    isRequired: value["required"]?.isTrue == true || location == "path",
                    explodes: value["explode"].map(\.isTrue) ?? ["form", nil].contains(value["style"]?.string),
                    schema: value["schema"] ?? value["content"]?.members?.values.first?["schema"] ?? .bool(true)
                )
            }
            self.parameters = parameters.sorted { $0.key < $1.key }.map(\.value)
            body = value["requestBody"]?.resolved(in: document)
            responses = value["responses"]?.members ?? [:]
        }
    }
}

extension OpenAPI.PathItem.Segment {
    init(_ text: String) {
        guard let open = text.firstIndex(of: "{"), let close = text.lastIndex(of: "}"), open < close else {
            self = .literal(PathSegment.decoded(text))
            return
        }
        let name = String(text[text.index(after: open)..<close])
        let suffix = String(text[text.index(after: close)...])
        self = .variable(name, prefix: String(text[..<open]), suffix: suffix)
    }
}
