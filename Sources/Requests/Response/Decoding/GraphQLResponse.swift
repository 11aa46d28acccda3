import Foundation

/// What a GraphQL operation was answered with.
///
/// Specification: GraphQL §7.1.
public struct GraphQLResponse<Content: Decodable & Sendable>: Decodable, Sendable {
    /// The result, as far as there is one; `nil` where an error kept all of it away.
    public let data: Content?

    /// What went wrong; empty where nothing did.
    public let errors: [GraphQLError]

    /// What the server adds; empty by default.
    public let extensions: [String: JSONValue]

    private enum CodingKeys: CodingKey {
        case data, errors, extensions
    }

    /// Decodes a response.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        errors = try container.decodeIfPresent([GraphQLError].self, forKey: .errors) ?? []
        extensions = try container.decodeIfPresent([String: JSONValue].self, forKey: .extensions) ?? [:]
        // With errors it may be missing; without, it has to be there.
        data =
            errors.isEmpty
            ? try container.decode(Content.self, forKey: .data)
            : try container.decodeIfPresent(Content.self, forKey: .data)
    }
}

/// One thing that went wrong in a GraphQL operation.
///
/// Specification: GraphQL §7.1.2.
public struct GraphQLError: Error, Hashable, Sendable {
    /// A place in the operation's document, both numbers from 1.
    public struct Location: Hashable, Sendable, Decodable {
        /// The line.
        public let line: Int
        /// The column.
        public let column: Int
    }

    /// A step into the result: a field's name or a list's index.
    public enum PathElement: Hashable, Sendable {
        /// A field, by the name that it has in the response.
        case field(String)
        /// An element of a list, from 0.
        case index(Int)
    }

    /// What the server says to the developer. It can quote the operation, so that no description holds it.
    public let message: String

    /// Where in the document; empty where the server does not say.
    public let locations: [Location]

    /// Where in the result; empty where the server does not say.
    public let path: [PathElement]

    /// What the server adds, such as a code; empty by default.
    public let extensions: [String: JSONValue]
}

extension GraphQLError: CustomStringConvertible, CustomReflectable, LocalizedError {
    /// What it is, and where in the result: not the message.
    public var description: String {
        let place = path.map { element in
            switch element {
            case .field(let name): ".\(Redaction.escaped(name))"
            case .index(let index): "[\(index)]"
            }
        }
        // A server that names a long way has no say in how long a line of a log is.
        return path.isEmpty
            ? "a GraphQL error" : "a GraphQL error at \(String(place.joined().unicodeScalars.prefix(200)))"
    }

    /// The same as ``description``.
    public var errorDescription: String? { description }

    /// No part of what the server says.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension GraphQLError: Decodable {
    private enum CodingKeys: CodingKey {
        case message, locations, path, extensions
    }

    /// Decodes an error.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        message = try container.decode(String.self, forKey: .message)
        locations = try container.decodeIfPresent([Location].self, forKey: .locations) ?? []
        path = try container.decodeIfPresent([PathElement].self, forKey: .path) ?? []
        extensions = try container.decodeIfPresent([String: JSONValue].self, forKey: .extensions) ?? [:]
    }
}

extension GraphQLError.PathElement: Decodable {
    /// Decodes a name or an index.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let index = try? container.decode(Int.self) {
            self = .index(index)
        } else {
            self = .field(try container.decode(String.self))
        }
    }
}

/// All that went wrong in a GraphQL operation: ``ResponseError/underlying`` of a ``ResponseError/Code/graphQL`` error.
public struct GraphQLErrors: Error, Hashable, Sendable {
    /// The errors, in the server's order; at least one.
    public let errors: [GraphQLError]
}

extension GraphQLErrors: CustomStringConvertible, LocalizedError {
    /// One line for each error.
    public var description: String { errors.map(\.description).joined(separator: "\n") }

    /// The same as ``description``.
    public var errorDescription: String? { description }
}

extension ResponseDecoder {
    /// The result of a GraphQL operation that went well.
    ///
    /// One with errors is ``ResponseError/Code/graphQL``, whatever its status where it is an
    /// `application/graphql-response+json`, and even where there is a part of the result: who wants that
    /// takes ``graphQLResponse(of:decoder:)``.
    ///
    /// - Parameters:
    ///   - type: The type of the result, for a call site that does not say it otherwise.
    ///   - decoder: The decoder; by default that of the API's ``RequestProviding/coders``.
    public static func graphQL(
        _ type: Response.Type = Response.self,
        decoder: JSONDecoder? = nil
    ) -> ResponseDecoder where Response: Decodable {
        let whole = ResponseDecoder<GraphQLResponse<Response>>.graphQLResponse(of: type, decoder: decoder)
        return ResponseDecoder { head, data, json in
            let response = try whole.value(head, data, json)
            guard response.errors.isEmpty, let content = response.data else {
                throw ResponseError.graphQL(response.errors, head, data)
            }
            return content
        }
        .with(rules: .graphQL)
    }

    /// The answer to a GraphQL operation with its errors, and as much of the result as there is.
    ///
    /// - Parameters:
    ///   - type: The type of the result.
    ///   - decoder: The decoder; by default that of the API's ``RequestProviding/coders``.
    public static func graphQLResponse<Content>(
        of type: Content.Type = Content.self,
        decoder: JSONDecoder? = nil
    ) -> ResponseDecoder where Response == GraphQLResponse<Content> {
        ResponseDecoder.json(decoder: decoder).with(rules: .graphQL)
    }
}

extension DecodingRules {
    /// What is of this type is the answer to an operation, whatever its status, and not from something on the way
    /// (GraphQL over HTTP §6.4.2).
    fileprivate static let graphQL = DecodingRules(acceptsAlso: { head in
        head.header[.contentType].flatMap { MediaType($0) }?.matches(.graphQLResponse) == true
    })
}

extension ResponseError {
    fileprivate static func graphQL(_ errors: [GraphQLError], _ head: ResponseHead, _ data: Data) -> ResponseError {
        ResponseError(
            code: .graphQL,
            head: head,
            data: data,
            message:
                "\(head.url) answered with \(errors.count == 1 ? errors[0].description : "\(errors.count) GraphQL errors")",
            underlying: GraphQLErrors(errors: errors)
        )
    }
}
