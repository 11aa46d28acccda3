import Foundation

/// The text of a GraphQL operation: a literal, or a file that is read when the request is built.
///
/// A literal holds no values: those are the operation's variables.
public struct GraphQLDocument: ExpressibleByStringLiteral, Sendable {
    private let load: @Sendable () throws -> String

    /// Creates a document of a text.
    public init(_ text: String) {
        load = { text }
    }

    /// Creates a document of a literal.
    public init(stringLiteral value: String) {
        self.init(value)
    }

    /// The document in a file, in UTF-8.
    public static func file(_ url: URL) -> GraphQLDocument {
        GraphQLDocument { try text(of: url, named: url.lastPathComponent) }
    }

    /// The document in a resource of a bundle, in UTF-8.
    ///
    /// - Parameters:
    ///   - name: The resource's name.
    ///   - extension: Its extension, `graphql` by default.
    ///   - bundle: Where it is.
    public static func resource(
        _ name: String,
        withExtension extension: String = "graphql",
        in bundle: Bundle
    ) -> GraphQLDocument {
        let url = bundle.url(forResource: name, withExtension: `extension`)
        return GraphQLDocument { try text(of: url, named: "\(name).\(`extension`)") }
    }

    private init(load: @escaping @Sendable () throws -> String) {
        self.load = load
    }

    private static func text(of url: URL?, named name: String) throws(RequestError) -> String {
        guard let data = url.flatMap({ try? Data(contentsOf: $0) }), let text = String(validating: data, as: UTF8.self)
        else {
            throw RequestError(
                code: .unreadableFile,
                culprit: name,
                message: "the GraphQL document \(Redaction.quoted(name)) is not a file of UTF-8 that can be read"
            )
        }
        return text
    }

    fileprivate func text() throws -> String { try load() }
}

extension BodyProvider {
    /// A GraphQL operation as JSON, with an `Accept` for its answer where the request has none.
    ///
    /// ```swift
    /// let body: BodyProvider = .graphQL(query: "query($id: ID!) { user(id: $id) { name } }", variables: ["id": "7"])
    /// ```
    ///
    /// What goes wrong, a missing file or variables that cannot be encoded, is thrown when the request is built.
    ///
    /// - Parameters:
    ///   - query: The document with the operation.
    ///   - operationName: Which operation of the document; `nil`, the default, for its only one.
    ///   - variables: The operation's variables, encoded once, now.
    ///   - encoder: The encoder of the variables, by default that of ``JSONCoders/standard``.
    ///
    /// Specification: GraphQL over HTTP §5.1, §5.4.
    public static func graphQL(
        query: GraphQLDocument,
        operationName: String? = nil,
        variables: some Encodable,
        using encoder: JSONEncoder = JSONCoders.standard.encoder
    ) -> BodyProvider {
        let encoded = Result { try encoder.encode(variables) }
        return graphQL(query, operationName) { try encoded.get() }
    }

    /// A GraphQL operation as JSON, with variables that are written as a literal: of different types, nested.
    ///
    /// A variable of the program in it is written as a value of JSON, such as `["id": .string(id), "first": 10]`.
    ///
    /// - Parameters: As of ``graphQL(query:operationName:variables:using:)``.
    public static func graphQL(
        query: GraphQLDocument,
        operationName: String? = nil,
        variables: JSONValue
    ) -> BodyProvider {
        graphQL(query: query, operationName: operationName, variables: variables, using: JSONCoders.standard.encoder)
    }

    /// A GraphQL operation without variables as JSON.
    public static func graphQL(query: GraphQLDocument, operationName: String? = nil) -> BodyProvider {
        graphQL(query, operationName) { nil }
    }

    private static func graphQL(
        _ query: GraphQLDocument,
        _ operationName: String?,
        variables: @escaping @Sendable () throws -> Data?
    ) -> BodyProvider {
        BodyProvider { header in
            let encoder = JSONCoders.standard.encoder
            var members = ["\"query\":".utf8 + (try encoder.encode(query.text()))]
            if let operationName { members.append("\"operationName\":".utf8 + (try encoder.encode(operationName))) }
            // The variables are JSON already, in whatever way their encoder writes it.
            if let variables = try variables() { members.append("\"variables\":".utf8 + variables) }
            header.set(.contentType(.json))
            if !header.contains(.accept) { header.set(.accept(.graphQLResponse, .json.quality(0.9))) }
            return .data(Data("{".utf8) + Data(members.joined(separator: ",".utf8)) + Data("}".utf8))
        }
    }
}
