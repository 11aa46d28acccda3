import Requests

extension GraphQL {
    /// The response to a GraphQL operation.
    ///
    /// Specification: GraphQL §7.1.
    public struct Response<Content: Decodable & Sendable>: Decodable, Sendable {
        /// The result. `nil` if the response has errors and no data that decodes as `Content`.
        public let data: Content?

        /// The errors of the operation. Empty if it succeeded.
        public let errors: [Error]

        /// Additional information from the server. Empty if there is none.
        public let extensions: [String: JSONValue]

        private enum CodingKeys: CodingKey {
            case data, errors, extensions
        }

        /// Decodes a response.
        ///
        /// - Throws: `DecodingError` if the response has no errors and its data doesn't decode.
        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            // An entry that isn't as specified must not hide the others.
            errors =
                try container.readable([Error].self, forKey: .errors)
                ?? container.decodeIfPresent(Error.self, forKey: .errors).map { [$0] } ?? []
            extensions = container.readable([String: JSONValue].self, forKey: .extensions) ?? [:]
            // If there are errors, data that doesn't decode is ignored, because the errors explain its gaps.
            data =
                errors.isEmpty
                ? try container.decode(Content.self, forKey: .data)
                : try? container.decodeIfPresent(Content.self, forKey: .data)
        }
    }

    /// An error of a GraphQL operation.
    ///
    /// Specification: GraphQL §7.1.2.
    public struct Error: Swift.Error, Hashable, Sendable {
        /// A position in the operation's document.
        public struct Location: Hashable, Sendable, Decodable {
            /// The line, starting at 1.
            public let line: Int
            /// The column, starting at 1.
            public let column: Int
        }

        /// The server's message, or the JSON of an error without one. Omitted from ``description`` because it may quote
        /// the operation.
        public let message: String

        /// The positions in the document. Empty if the server sends none.
        public let locations: [Location]

        /// The path to the failed field in the result: names of fields, and indices of list elements, starting at 0.
        /// Empty if the server sends none.
        public let path: [JSONValue]

        /// Additional information from the server, such as a code. Empty if the server sends none.
        public let extensions: [String: JSONValue]
    }

    /// The errors of a GraphQL operation. A `ResponseError` with the code `graphQL` has them in its property
    /// `underlying`.
    public struct Errors: Swift.Error, Hashable, Sendable {
        /// The errors, in the server's order. Never empty.
        public let errors: [Error]
    }
}

extension GraphQL.Error: RedactedError {
    /// The path of the failed field, without the server's message.
    public var description: String {
        let steps = path.map { element in
            switch element {
            case .string(let name): ".\(Redaction.escaped(name))"
            case .integer(let index): "[\(index)]"
            default: ""
            }
        }
        // The length is limited, because a server could fill a log with a long path.
        return path.isEmpty
            ? "a GraphQL error" : "a GraphQL error at \(String(steps.joined().unicodeScalars.prefix(200)))"
    }
}

extension GraphQL.Error: Decodable {
    private enum CodingKeys: CodingKey {
        case message, locations, path, extensions
    }

    /// Decodes an error of any form. Members that can't be read count as missing, and a string is a message.
    public init(from decoder: any Decoder) throws {
        let value = try JSONValue(from: decoder)
        let container = try? decoder.container(keyedBy: CodingKeys.self)
        if case .string(let text) = value {
            message = text
        } else {
            message = container?.readable(String.self, forKey: .message) ?? value.description
        }
        locations = container?.readable(LossyArray<Location>.self, forKey: .locations)?.wrappedValue ?? []
        path = container?.readable([JSONValue].self, forKey: .path) ?? []
        extensions = container?.readable([String: JSONValue].self, forKey: .extensions) ?? [:]
    }
}

extension GraphQL.Errors: RedactedError {
    /// The descriptions of the errors, one per line.
    public var description: String { errors.map(\.description).joined(separator: "\n") }
}

extension ResponseDecoder {
    /// Decodes the result of a GraphQL operation.
    ///
    /// If the response contains errors, decoding throws `ResponseError.Code.graphQL`, even if there is partial data.
    /// Use ``graphQLResponse(of:decoder:)`` to get partial data. A response with the media type
    /// `application/graphql-response+json` is decoded whatever its status.
    ///
    /// - Parameters:
    ///   - type: The type of the result. Default: inferred from the call site.
    ///   - decoder: The decoder. Default: the decoder of the API's `RequestProviding.coders`.
    public static func graphQL(
        _ type: Response.Type = Response.self,
        decoder: JSONDecoder? = nil
    ) -> ResponseDecoder where Response: Decodable {
        let whole = ResponseDecoder<GraphQL.Response<Response>>.graphQLResponse(of: type, decoder: decoder)
        return ResponseDecoder(rules: .graphQL) { head, data, json in
            try whole.read(head, data, json).map { response in
                guard response.errors.isEmpty, let content = response.data else {
                    throw ResponseError.graphQL(response.errors, head, data)
                }
                return content
            }
        }
    }

    /// Decodes the response to a GraphQL operation, including its errors and partial data.
    ///
    /// If there are errors and the data doesn't decode, ``GraphQL/Response/data`` is `nil`.
    ///
    /// - Parameters:
    ///   - type: The type of the result. Default: inferred from the call site.
    ///   - decoder: The decoder. Default: the decoder of the API's `RequestProviding.coders`.
    public static func graphQLResponse<Content>(
        of type: Content.Type = Content.self,
        decoder: JSONDecoder? = nil
    ) -> ResponseDecoder where Response == GraphQL.Response<Content> {
        ResponseDecoder.json(decoder: decoder).with(rules: .graphQL)
    }
}

extension ResponseRules {
    /// Rules that accept any status if the media type proves that the GraphQL server, and not an intermediary, sent the
    /// response (GraphQL over HTTP §6.4.2).
    fileprivate static let graphQL = ResponseRules(acceptsAlso: { head in
        head.mediaType?.matches(.graphQLResponse) == true
    })
}

extension ResponseError.Code {
    /// The response contains GraphQL errors (GraphQL §7.1).
    public static let graphQL = Self(rawValue: "graphQL")
}

extension ResponseError {
    fileprivate static func graphQL(_ errors: [GraphQL.Error], _ head: ResponseHead, _ data: Data) -> ResponseError {
        ResponseError(
            code: .graphQL,
            head: head,
            data: data,
            message:
                "\(head.url) returned \(errors.count == 1 ? errors[0].description : "\(errors.count) GraphQL errors").",
            underlying: GraphQL.Errors(errors: errors)
        )
    }
}
