import Requests

/// An HTTP message signature, which covers chosen parts of a request.
///
/// ```swift
/// let signature = MessageSignature(
///     of: ["@method", "@target-uri", "content-digest"],
///     with: .hmacSHA256(id: "shared-1", secret: Data("s3cret".utf8))
/// )
/// let order = api.post(json: ["item": "tea"], to: "/orders")
///     .authenticated(with: .messageSignature(signature))
/// ```
///
/// Specification: RFC 9421.
public struct MessageSignature: Sendable {
    private let components: [Component]
    fileprivate let key: Key
    private let label: String
    private let expiration: Duration?
    private let nonce: (@Sendable () -> String)?
    private let tag: String?
    private let date: @Sendable () -> Date

    /// Creates a signature.
    ///
    /// - Parameters:
    ///   - components: The parts that the signature covers. If `content-digest` is listed and the request lacks that
    ///     field, it is added.
    ///   - key: The key.
    ///   - label: The name of the signature, which distinguishes several in one request. Default: `sig1`.
    ///   - expiration: The lifetime of the signature, in whole seconds. Default: `nil`, unlimited.
    ///   - nonce: Returns a new value for each signature, which prevents replays. Default: `nil`, none.
    ///   - tag: The name of the application that uses the signature. Default: `nil`, none.
    ///   - date: Returns the current date. Default: the system's.
    public init(
        of components: [Component],
        with key: Key,
        label: String = "sig1",
        expiresAfter expiration: Duration? = nil,
        nonce: (@Sendable () -> String)? = nil,
        tag: String? = nil,
        date: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.components = components
        self.key = key
        self.label = label
        self.expiration = expiration
        self.nonce = nonce
        self.tag = tag
        self.date = date
    }

    /// Adds `Signature-Input` and `Signature` to a request. Signatures with other labels are kept.
    ///
    /// - Throws: `RequestError.Code.invalidCredentials` if the request lacks a component,
    ///   `RequestError.Code.unsupportedBody` if the body's digest is needed but the body can't be read twice, or an
    ///   error of the key or of reading the body.
    public func sign(_ request: inout PreparedRequest) throws {
        if components.contains(Component("content-digest")), !request.header.contains(.contentDigest) {
            guard let digest = try request.body.digest(.sha256) else {
                throw RequestError.digestOfStream
            }
            request.header.set(.contentDigest(digest, .sha256))
        }
        let input = StructuredField.Item(.innerList(components.map(\.item)), parameters: parameters)
        let base = try SignatureBase(components, input, of: request).text
        let signature = try key.sign(Data(base.utf8))
        try request.header.setMember(label, input, of: "Signature-Input")
        try request.header.setMember(label, StructuredField.Item(.bytes(signature)), of: "Signature")
    }

    /// The parameters of the signature, in the order of the specification's examples.
    private var parameters: StructuredField.Members<StructuredField.Value> {
        let created = Int64(date().timeIntervalSince1970.rounded(.down))
        var parameters: StructuredField.Members<StructuredField.Value> = ["created": .integer(created)]
        if let expiration { parameters["expires"] = .integer(created + expiration.components.seconds) }
        if let nonce { parameters["nonce"] = .string(nonce()) }
        if let algorithm = key.algorithm { parameters["alg"] = .string(algorithm) }
        parameters["keyid"] = .string(key.id)
        if let tag { parameters["tag"] = .string(tag) }
        return parameters
    }
}

extension MessageSignature {
    /// A key for signatures.
    public struct Key: Sendable {
        let id: String
        let algorithm: String?
        let sign: @Sendable (Data) throws -> Data
        /// Returns a shared secret, encoded. `nil` if only `sign` knows it.
        private(set) var secret: (@Sendable () -> String)?

        /// Creates a key that signs with a closure, for example with CryptoKit or a hardware module.
        ///
        /// - Parameters:
        ///   - id: The identifier by which the recipient finds the key.
        ///   - algorithm: The algorithm's registered name, such as `ed25519`. Default: `nil`, if the recipient knows it
        ///     from the key.
        ///   - sign: Returns the signature of the bytes.
        public init(id: String, algorithm: String? = nil, sign: @escaping @Sendable (Data) throws -> Data) {
            self.id = id
            self.algorithm = algorithm
            self.sign = sign
        }

        /// A shared secret, used with HMAC and SHA-256 (RFC 9421 §3.3.3).
        public static func hmacSHA256(id: String, secret: Data) -> Key {
            var key = Key(id: id) { Data(HMAC.sha256($0, key: secret)) }
            key.secret = { secret.base64EncodedString() }
            return key
        }
    }
}

extension AuthenticationProvider {
    /// Signs each attempt with an HTTP message signature (RFC 9421).
    ///
    /// If the key signs with a closure, the provider has no `identity`: set it for a cache.
    public static func messageSignature(_ signature: MessageSignature) -> AuthenticationProvider {
        let provider = AuthenticationProvider { SigningFlow(sign: signature.sign) }
        return signature.key.secret.map { provider.identified(by: ["signature", signature.key.id, $0()]) } ?? provider
    }
}

extension Header {
    /// Sets a member of a header field that is a structured dictionary.
    fileprivate mutating func setMember(_ key: String, _ item: StructuredField.Item, of name: Field.Name) throws {
        var members = try StructuredField.parseDictionary(self[name] ?? "")
        members[key] = item
        set(Field(name: name, value: try StructuredField.serialize(members)))
    }
}

extension RequestError {
    fileprivate static let digestOfStream = RequestError(
        code: .unsupportedBody,
        subject: "content-digest",
        message:
            "The body can be read only once, so its digest can't be computed before it is sent. Set Content-Digest "
            + "yourself, or don't sign it."
    )
}
