import Requests

extension OpenAPI {
    /// Returns the violations of the document by a request. Empty if it conforms.
    ///
    /// The content of a body that isn't in memory isn't checked.
    public func violations(of request: PreparedRequest) -> [Violation] {
        let (operation, path): (Operation, [String: String])
        do throws(Violation) {
            (operation, path) = try self.operation(for: request)
        } catch {
            return [error]
        }
        var validator = validator
        validator.isRequest = true
        let query = QueryItem.items(of: request.url.query?[...] ?? "")
        let cookies = QueryItem.items(of: (request.header[.cookie] ?? "").replacing("; ", with: "&")[...])
        for parameter in operation.parameters {
            switch parameter.location {
            case "path": validator.check(parameter, path[parameter.name].map { [$0] } ?? [])
            case "query": validator.check(parameter, query.values(of: parameter.name))
            case "cookie": validator.check(parameter, cookies.values(of: parameter.name))
            // OpenAPI describes these three fields in other parts of the document.
            case "header" where !["accept", "content-type", "authorization"].contains(parameter.name.lowercased()):
                validator.check(parameter, request.header[values: Field.Name(parameter.name)])
            default: break
            }
        }
        let declared = operation.parameters.filter { $0.location == "query" }
        if !declared.contains(where: { validator.isObject($0.schema) }) {
            let names = Set(declared.map(\.name))
            for name in Set(query.map(\.name)).subtracting(names).sorted() {
                validator.report("query.\(name)", "isn't declared in the document")
            }
        }
        validator.check(request.body, type: request.header[.contentType], against: operation.body)
        return validator.violations
    }

    /// Returns the violations of the document by a response. Empty if it conforms.
    ///
    /// - Parameters:
    ///   - response: The response, with its whole body.
    ///   - request: The request. If no operation matches it, its violations are returned instead.
    public func violations(of response: Response<Data>, to request: PreparedRequest) -> [Violation] {
        guard let (operation, _) = try? operation(for: request) else { return violations(of: request) }
        let status = response.head.statusCode
        let keys = [String(status), "\(status / 100)XX", "default"]
        var validator = validator
        guard let declared = keys.lazy.compactMap({ operation.responses[$0] }).first?.resolved(in: document) else {
            let known = operation.responses.isEmpty ? "none" : operation.responses.keys.sorted().joined(separator: ", ")
            return [Violation(place: "status", message: "\(status) isn't declared; declared: \(known)")]
        }
        for (name, header) in (declared["headers"]?.members ?? [:]).sorted(by: { $0.key < $1.key }) {
            let header = header.resolved(in: document)
            let values = response.head.header[values: Field.Name(name)]
            if let value = values.first {
                validator.validate(text: value, header["schema"] ?? .bool(true), at: "header.\(name)")
            } else if header["required"]?.isTrue == true {
                validator.report("header.\(name)", "is missing")
            }
        }
        let isEmpty = response.content.isEmpty || request.method == .head
        let body: RequestBody = isEmpty ? .none : .data(response.content)
        let content = declared["content"].map { _ in declared }
        validator.check(body, type: response.head.header[.contentType], against: content)
        return validator.violations
    }
}

extension [QueryItem] {
    fileprivate func values(of name: String) -> [String] { filter { $0.name == name }.map { $0.value ?? "" } }
}
