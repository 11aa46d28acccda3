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
        var validator = SchemaValidator(schemas, isRequest: true, validate)
        let query = Parameter.items(of: request.url.query ?? "")
        let cookie = (request.header[.cookie] ?? "").replacing("&", with: "%26").replacing("; ", with: ";")
        let cookies = Parameter.items(of: cookie.replacing(";", with: "&"))
        let declared = keyNames.union(operation.parameters.filter { $0.location == "query" }.map(\.name))
        var unknown = Set(query.map(\.name)).subtracting(keyNames)
        for parameter in operation.parameters {
            let isObject = parameter.explodes && validator.types(of: parameter.schema).contains("object")
            switch parameter.location {
            case "path": validator.check(parameter, path[parameter.name].map { [(parameter.name, $0)] } ?? [])
            case "query":
                let items = parameter.items(in: query, isObject: isObject, declared: declared)
                unknown.subtract(items.map(\.name))
                validator.check(parameter, items)
            case "cookie": validator.check(parameter, cookies.filter { $0.name == parameter.name })
            // OpenAPI describes these three fields in other parts of the document.
            case "header" where !["accept", "content-type", "authorization"].contains(parameter.name.lowercased()):
                validator.check(parameter, request.header)
            default: break
            }
        }
        for name in unknown.sorted() {
            validator.report("query.\(Redaction.escaped(name))", "isn't declared in the document")
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
        var validator = SchemaValidator(schemas, isRequest: false, validate)
        guard let declared = keys.lazy.compactMap({ operation.responses[$0] }).first?.resolved(in: schemas.root) else {
            let known = operation.responses.isEmpty ? "none" : operation.responses.keys.sorted().joined(separator: ", ")
            return [Violation(place: "status", message: "\(status) isn't declared; declared: \(known)")]
        }
        for (name, header) in (declared["headers"]?.members ?? [:]).sorted(by: { $0.key < $1.key })
        where name.lowercased() != "content-type" {
            validator.check(Parameter(name, "header", header.resolved(in: schemas.root)), response.head.header)
        }
        guard request.method != .head else { return validator.violations }
        let body: RequestBody = response.content.isEmpty ? .none : .data(response.content)
        let content = declared["content"].map { _ in declared }
        validator.check(body, type: response.head.header[.contentType], against: content)
        return validator.violations
    }
}
