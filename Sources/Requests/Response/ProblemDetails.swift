/// An API's description of a failure, which a caller finds in ``ResponseError/underlying``.
///
/// ```swift
/// do {
///     try await client.send(api.post(json: user, to: "/users").problems())
/// } catch let error as ResponseError {
///     print(error.problem?.title ?? "\(error)")
/// }
/// ```
///
/// Specification: RFC 9457.
public struct ProblemDetails: Error, Hashable, Sendable {
    /// The kind of problem, as a URI reference. Default: `about:blank`, a problem that the status describes.
    public var type: String

    /// A short summary of the kind of problem.
    public var title: String?

    /// The status code as the API reported it. An intermediary may have changed the response's own.
    public var status: Int?

    /// An explanation of this occurrence.
    public var detail: String?

    /// A URI reference that identifies this occurrence.
    public var instance: String?

    /// All other members, by name.
    public var extensions: [String: JSONValue]

    /// Creates a description, for example for a test.
    public init(
        type: String = "about:blank",
        title: String? = nil,
        status: Int? = nil,
        detail: String? = nil,
        instance: String? = nil,
        extensions: [String: JSONValue] = [:]
    ) {
        self.type = type
        self.title = title
        self.status = status
        self.detail = detail
        self.instance = instance
        self.extensions = extensions
    }
}

extension ProblemDetails: Codable {
    private static let names: Set<String> = ["type", "title", "status", "detail", "instance"]

    /// Decodes a description. Ignores members of a wrong type (RFC 9457 §3.1).
    public init(from decoder: any Decoder) throws {
        let members = try [String: JSONValue](from: decoder)
        func text(_ name: String) -> String? {
            if case .string(let text) = members[name] { text } else { nil }
        }
        self.init(
            type: text("type") ?? "about:blank",
            title: text("title"),
            detail: text("detail"),
            instance: text("instance"),
            extensions: members.filter { !ProblemDetails.names.contains($0.key) }
        )
        if case .integer(let code) = members["status"] { status = Int(exactly: code) }
    }

    /// Encodes the description, with the extensions as members.
    public func encode(to encoder: any Encoder) throws {
        var members = extensions
        members["type"] = .string(type)
        members["title"] = title.map { .string($0) }
        members["status"] = status.map { .integer(Int64($0)) }
        members["detail"] = detail.map { .string($0) }
        members["instance"] = instance.map { .string($0) }
        try members.encode(to: encoder)
    }
}

extension ProblemDetails: RedactedError {
    /// The type, the status and the title. The other members may contain the data of a user.
    public var description: String {
        Redaction.escaped(([type] + [status.map { "\($0)" }, title].compactMap(\.self)).joined(separator: ", "))
    }
}

extension ResponseDecoder {
    /// Returns a decoder that reads failed responses of the type `application/problem+json` as ``ProblemDetails``.
    ///
    /// The description is the ``ResponseError/underlying`` error. Failures of other media types are read as before, for
    /// example by ``decodingErrors(as:decoder:)``.
    public func problems() -> ResponseDecoder {
        let other = rules?.failure
        return with(
            rules: (rules ?? ResponseRules()).failing { head, data, json in
                guard head.isProblem else { return other?(head, data, json) }
                // Not the API's decoder, whose key strategy would change the names.
                return try? JSONCoders.standard.decoder.decodeLimited(ProblemDetails.self, from: data)
            }
        )
    }
}

extension ResponseHead {
    fileprivate var isProblem: Bool { mediaType?.matches("application/problem+json") == true }
}

extension ResponseError {
    /// The API's description of the failure, if the request asked for ``ResponseDecoder/problems()``.
    public var problem: ProblemDetails? { underlying as? ProblemDetails }
}
