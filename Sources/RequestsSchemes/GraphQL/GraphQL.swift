import Requests

/// A namespace for the types of GraphQL operations.
public enum GraphQL {
    /// A GraphQL document, which is a string, or a file that is read when the request is built.
    ///
    /// A literal can't contain interpolated values. Pass them as the operation's variables.
    public struct Document: ExpressibleByStringLiteral, Sendable {
        private let load: @Sendable () throws -> String

        /// Creates a document from a string.
        public init(_ text: String) {
            load = { text }
        }

        /// Creates a document from a literal.
        public init(stringLiteral value: String) {
            self.init(value)
        }

        /// A document in a UTF-8 file, read when the request is built. Building it throws
        /// `RequestError.Code.unreadableFile` if the file can't be read.
        public static func file(_ url: URL) -> Document {
            Document { try text(of: url, named: url.lastPathComponent) }
        }

        init(load: @escaping @Sendable () throws -> String) {
            self.load = load
        }

        static func text(of url: URL?, named name: String) throws(RequestError) -> String {
            func unreadable(_ reason: String) -> RequestError {
                let message = "The GraphQL document \(Redaction.quoted(name)) \(reason)"
                return RequestError(code: .unreadableFile, subject: name, message: message)
            }
            guard let url else { throw unreadable("isn't in the bundle. Add it to the target's resources.") }
            guard FileManager.default.fileExists(atPath: url.path) else {
                throw unreadable("doesn't exist in \(url.deletingLastPathComponent().path). Check the path.")
            }
            guard let data = try? Data(contentsOf: url) else {
                throw unreadable("can't be read. Check that it is a file with read permission.")
            }
            guard let text = String(validating: data, as: UTF8.self) else {
                throw unreadable("isn't valid UTF-8. Save it as UTF-8.")
            }
            return text
        }

        fileprivate func text() throws -> String { try load() }
    }
}

extension MediaType {
    /// `application/graphql-response+json`, the media type of GraphQL responses (GraphQL over HTTP §6).
    static let graphQLResponse = MediaType(type: "application", subtype: "graphql-response+json")
}

extension BodyProvider {
    /// A GraphQL operation as JSON. Adds an `Accept` field for GraphQL responses unless the request sets one.
    ///
    /// ```swift
    /// let body: BodyProvider = .graphQL(
    ///     query: "query($id: ID!) { user(id: $id) { name } }",
    ///     variables: ["id": "7"]
    /// )
    /// ```
    ///
    /// The variables are encoded immediately. If that fails, or if the document's file can't be read, building the
    /// request throws the error.
    ///
    /// - Parameters:
    ///   - query: The document with the operation.
    ///   - operationName: The name of the operation, if the document has several.
    ///   - variables: The operation's variables.
    ///   - encoder: The encoder of the variables. Default: that of `JSONCoders.standard`.
    ///   - contentType: The media type. Default: `application/json`. `nil` keeps the request's own.
    ///
    /// Specification: GraphQL over HTTP §5.1, §5.4.
    public static func graphQL(
        query: GraphQL.Document,
        operationName: String? = nil,
        variables: some Encodable,
        using encoder: JSONEncoder = JSONCoders.standard.encoder,
        contentType: MediaType? = .json
    ) -> BodyProvider {
        let encoded = Result { try encoder.encode(variables) }
        return graphQL(query, operationName, contentType) { try encoded.get() }
    }

    /// A GraphQL operation as JSON, with variables written as a literal.
    ///
    /// Write Swift variables as JSON values: `["id": .string(id), "first": 10]`.
    ///
    /// - Parameters:
    ///   - query: The document with the operation.
    ///   - operationName: The name of the operation, if the document has several.
    ///   - variables: The operation's variables.
    ///   - contentType: The media type. Default: `application/json`. `nil` keeps the request's own.
    public static func graphQL(
        query: GraphQL.Document,
        operationName: String? = nil,
        variables: JSONValue,
        contentType: MediaType? = .json
    ) -> BodyProvider {
        let encoded = Result { try JSONCoders.standard.encoder.encode(variables) }
        return graphQL(query, operationName, contentType) { try encoded.get() }
    }

    /// A GraphQL operation without variables as JSON.
    ///
    /// - Parameters:
    ///   - query: The document with the operation.
    ///   - operationName: The name of the operation, if the document has several.
    ///   - contentType: The media type. Default: `application/json`. `nil` keeps the request's own.
    public static func graphQL(
        query: GraphQL.Document,
        operationName: String? = nil,
        contentType: MediaType? = .json
    ) -> BodyProvider {
        graphQL(query, operationName, contentType) { nil }
    }

    private static func graphQL(
        _ query: GraphQL.Document,
        _ operationName: String?,
        _ contentType: MediaType?,
        variables: @escaping @Sendable () throws -> Data?
    ) -> BodyProvider {
        BodyProvider { header in
            let encoder = JSONCoders.standard.encoder
            var members = ["\"query\":".utf8 + (try encoder.encode(query.text()))]
            if let operationName { members.append("\"operationName\":".utf8 + (try encoder.encode(operationName))) }
            // The variables are already encoded as JSON.
            if let variables = try variables() { members.append("\"variables\":".utf8 + variables) }
            if let contentType { header.set(.contentType(contentType)) }
            if !header.contains(.accept) { header.set(.accept(.graphQLResponse, .json.quality(0.9))) }
            return .data(Data("{".utf8) + Data(members.joined(separator: ",".utf8)) + Data("}".utf8))
        }
    }
}
