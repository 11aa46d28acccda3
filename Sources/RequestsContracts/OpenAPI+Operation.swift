import Requests

extension OpenAPI {
    /// A path template of a document with the operations that have the same servers.
    struct PathItem: Sendable {
        static let methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace"]

        let template: String
        let segments: [Template]
        let servers: [Server]
        /// The operations by uppercase method.
        private(set) var operations: [String: Operation] = [:]

        /// Returns an item for each list of servers that the operations of a path have.
        static func all(_ template: String, _ value: JSONValue, in document: JSONValue) -> [PathItem] {
            let item = value.resolved(in: document)
            let segments = segments(of: template).map { Template($0) }
            var items: [[Server]: PathItem] = [:]
            for case let (method, operation?) in methods.map({ ($0, item[$0]) }) {
                let lists = [operation["servers"], item["servers"], document["servers"]]
                let declared = lists.compactMap { $0?.elements }.first { !$0.isEmpty } ?? [["url": "/"]]
                let servers = declared.map { Server($0) }
                let parsed = Operation(operation, shared: item["parameters"], in: document)
                let empty = PathItem(template: template, segments: segments, servers: servers)
                items[servers, default: empty].operations[method.uppercased()] = parsed
            }
            return Array(items.values)
        }

        static func segments(of path: String) -> [String] { path.isEmpty ? [] : PathSegment.all(of: path[...]) }

        var literalCount: Int { segments.count(where: \.isLiteral) }

        /// Returns the encoded values of the template's parameters, or `nil` if the path doesn't match.
        func parameters(in path: ArraySlice<String>) -> [String: String]? {
            guard path.count == segments.count else { return nil }
            var parameters: [String: String] = [:]
            for (segment, text) in zip(segments, path) {
                guard let values = segment.values(in: text) else { return nil }
                parameters.merge(values) { $1 }
            }
            return parameters
        }
    }

    /// An operation of a document.
    struct Operation: Sendable {
        let parameters: [Parameter]
        /// `nil` if the operation has no body.
        let body: JSONValue?
        let responses: [String: JSONValue]

        init(_ value: JSONValue, shared: JSONValue?, in document: JSONValue) {
            let all = (shared?.elements ?? []) + (value["parameters"]?.elements ?? [])
            var parameters: [String: Parameter] = [:]
            for parameter in all.compactMap({ Parameter($0.resolved(in: document)) }) {
                // An operation's parameter comes later and replaces the path's parameter of the same name.
                parameters["\(parameter.location).\(parameter.name)"] = parameter
            }
            self.parameters = parameters.sorted { $0.key < $1.key }.map(\.value)
            body = value["requestBody"]?.resolved(in: document)
            responses = value["responses"]?.members ?? [:]
        }
    }
}
