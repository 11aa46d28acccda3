import Requests

/// A signer for requests to Amazon Web Services and compatible services.
///
/// ```swift
/// let signer = AWSSignatureV4(
///     credentials,
///     region: "eu-central-1",
///     service: "s3"
/// )
/// let object = try bucket.get(.data, from: "/2026/report.csv").prepared()
/// let link = try signer.presignedURL(for: object, expiresAfter: .seconds(3600))
/// ```
///
/// To sign requests that a client sends, use `.awsSigV4(…)` as their authentication.
///
/// Specification: AWS Signature Version 4; Amazon S3 API, "Authenticating Requests".
public struct AWSSignatureV4: Sendable {
    /// The way in which the signature covers the body.
    public enum Payload: Hashable, Sendable {
        /// The signature covers the whole body, which is read before it is sent.
        ///
        /// Bodies that can't be read twice, and sequences of chunks, are sent as with ``unsigned`` if the service is S3
        /// over `https`, which protects them. Otherwise signing throws.
        case signed
        /// The signature doesn't cover the body. Use it for S3 over `https` only, because over `http` signing throws.
        case unsigned
        /// The signature covers a body whose SHA-256 (32 bytes) you have computed, for example a stream that is sent
        /// over `http`.
        case sha256(Data)
    }

    let credentials: AWSCredentials
    let region: String
    let service: String
    private let payload: Payload
    private let date: @Sendable () -> Date
    private let keys = AWSKeys()

    /// Creates a signer.
    ///
    /// - Parameters:
    ///   - credentials: The access key.
    ///   - region: The region, such as `us-east-1`.
    ///   - service: The service's name in signatures, such as `s3` or `execute-api`. Signing throws for `s3express`,
    ///     which needs session credentials.
    ///   - payload: The way in which the signature covers the body. Default: ``Payload/signed``.
    ///   - date: Returns the current date. Default: the system's.
    public init(
        _ credentials: AWSCredentials,
        region: String,
        service: String,
        payload: Payload = .signed,
        date: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.credentials = credentials
        self.region = region
        self.service = service
        self.payload = payload
        self.date = date
    }

    /// Signs a request by setting its `Authorization` field, which replaces an earlier signature.
    ///
    /// The signature covers the header fields that no transport or proxy changes, so not `User-Agent`, for example.
    ///
    /// A file is read on the calling thread. With `.awsSigV4(…)`, a client reads it outside the caller's actor.
    ///
    /// - Throws: `RequestError.Code.unsupportedBody` if the body can't be signed as configured,
    ///   `RequestError.Code.invalidCredentials` for the service `s3express` or an invalid digest, or an error of
    ///   reading the body.
    public func sign(_ request: inout PreparedRequest) throws {
        let scope = try makeScope()
        request.header.remove(.authorization)
        request.header.set(Field(name: "X-Amz-Date", value: scope.timestamp))
        if let token = credentials.sessionToken {
            request.header.set(Field(name: "X-Amz-Security-Token", value: token).sensitive())
        }
        let hash = try payloadHash(of: request)
        if isS3 || payload != .signed {
            request.header.set(Field(name: "X-Amz-Content-SHA256", value: hash))
        }
        let fields = AWSCanonicalRequest.signedFields(of: request)
        let signature = signature(of: request, fields, payload: hash, in: scope)
        request.header.set(
            .authorization(
                "AWS4-HMAC-SHA256 Credential=\(credentials.accessKeyID)/\(scope.text), "
                    + "SignedHeaders=\(AWSCanonicalRequest.names(of: fields).joined(separator: ";")), "
                    + "Signature=\(signature)"
            )
        )
    }

    private func makeScope() throws -> AWSScope {
        if service == "s3express" { throw RequestError.unsupportedService }
        return AWSScope(date: date(), region: region, service: service)
    }

    /// Whether the service follows S3's rules for paths and payloads.
    private var isS3: Bool { ["s3", "s3-outposts", "s3-object-lambda"].contains(service) }

    private func signature(
        of request: PreparedRequest,
        _ fields: Header,
        payload: String,
        in scope: AWSScope
    ) -> String {
        let canonical = AWSCanonicalRequest(request, fields: fields, isEncodedOnce: isS3, payload: payload)
        return scope.sign(canonical, with: keys.key(for: scope.day) { scope.key(for: credentials) })
    }

    /// Returns a URL that authenticates itself, for example for a link that opens in a browser.
    ///
    /// The signature covers the method, the URL and the listed fields, not the body. Anyone who has the URL can
    /// send the request, and descriptions of the URL don't redact the signature.
    ///
    /// ```swift
    /// let put = bucket.put(.none, to: "/a").setting("x-amz-acl", "private")
    /// let link = try signer.presignedURL(
    ///     for: put.prepared(),
    ///     covering: ["x-amz-acl"],
    ///     expiresAfter: .seconds(60)
    /// )
    /// ```
    ///
    /// - Parameters:
    ///   - request: The request. Its body and its `Host` field are ignored.
    ///   - names: The request's fields that the URL's user must send with the same values. AWS requires this for all
    ///     `x-amz-` fields that are sent. Default: none.
    ///   - expiration: The lifetime of the URL, in whole seconds: from 1 second to 7 days.
    /// - Throws: `RequestError.Code.invalidCredentials` if the expiration is out of range, the request lacks a listed
    ///   field, or the service is `s3express`.
    public func presignedURL(
        for request: PreparedRequest,
        covering names: Set<Field.Name> = [],
        expiresAfter expiration: Duration
    ) throws -> URL {
        guard (1...604_800).contains(expiration.components.seconds) else { throw RequestError.expiration(expiration) }
        for name in names where !request.header.contains(name) { throw RequestError.missingField(name) }
        let scope = try makeScope()
        var fields = Header(request.header.filter { names.contains($0.name) })
        fields.set(Field(name: .host, value: request.url.hostField))
        var items = [
            ("X-Amz-Algorithm", "AWS4-HMAC-SHA256"), ("X-Amz-Credential", "\(credentials.accessKeyID)/\(scope.text)"),
            ("X-Amz-Date", scope.timestamp), ("X-Amz-Expires", "\(expiration.components.seconds)"),
            ("X-Amz-SignedHeaders", AWSCanonicalRequest.names(of: fields).joined(separator: ";")),
        ]
        if let token = credentials.sessionToken { items.append(("X-Amz-Security-Token", token)) }
        var request = request
        request.url = try request.url.appending(items)
        let hash =
            fields["X-Amz-Content-SHA256"] ?? (isS3 ? AWSSignatureV4.unsignedPayload : SHA2.sha256([]).hexadecimal)
        let signature = signature(of: request, fields, payload: hash, in: scope)
        return try request.url.appending([("X-Amz-Signature", signature)]).url
    }

    private static let unsignedPayload = "UNSIGNED-PAYLOAD"

    /// Returns the body's SHA-256 in hexadecimal, or `UNSIGNED-PAYLOAD` if the signature doesn't cover the body.
    private func payloadHash(of request: PreparedRequest) throws -> String {
        switch payload {
        case .sha256(let digest):
            guard digest.count == 32 else { throw RequestError.invalidDigest(digest) }
            return digest.hexadecimal
        case .signed:
            if let digest = try request.body.digest(.sha256) { return digest.hexadecimal }
            guard isS3 else { throw RequestError.unreadablePayload }
        case .unsigned: break
        }
        guard request.url.scheme == "https" || request.body.isNone else { throw RequestError.unprotectedPayload }
        return AWSSignatureV4.unsignedPayload
    }
}

extension AuthenticationProvider {
    /// Signs each attempt with AWS Signature Version 4.
    ///
    /// ```swift
    /// let upload = bucket.put(.file(photo), to: "/photos/\(name)")
    ///     .authenticated(
    ///         with: .awsSigV4(credentials, region: "eu-central-1", service: "s3")
    ///     )
    /// ```
    ///
    /// - Parameters:
    ///   - credentials: The access key.
    ///   - region: The region, such as `us-east-1`.
    ///   - service: The name of the service for signatures, such as `s3` or `execute-api`.
    ///   - payload: The way in which the signature covers the body. Default: ``AWSSignatureV4/Payload/signed``.
    ///   - date: Returns the current date. Default: the system's.
    public static func awsSigV4(
        _ credentials: AWSCredentials,
        region: String,
        service: String,
        payload: AWSSignatureV4.Payload = .signed,
        date: @escaping @Sendable () -> Date = { Date() }
    ) -> AuthenticationProvider {
        let signer = AWSSignatureV4(credentials, region: region, service: service, payload: payload, date: date)
        let session = credentials.sessionToken ?? ""
        return AuthenticationProvider { SigningFlow(sign: signer.sign) }
            .identified(by: ["aws", credentials.accessKeyID, credentials.secretAccessKey, session])
    }
}

extension RequestURL {
    /// Returns the URL with items appended to its query.
    fileprivate func appending(_ items: [(name: String, value: String)]) throws -> RequestURL {
        let added = items.map { "\($0.name)=\(PercentEncoding.encoded($0.value))" }.joined(separator: "&")
        let base = text.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)[0]
        return try RequestURL(base + (query == nil ? "?" : query == "" ? "" : "&") + added)
    }
}

extension RequestError {
    fileprivate static let unsupportedService = RequestError(
        code: .invalidCredentials,
        subject: "service",
        message: "Signatures for s3express need session credentials, which aren't supported. Use a general purpose "
            + "bucket with the service s3."
    )

    fileprivate static func expiration(_ expiration: Duration) -> RequestError {
        RequestError(
            code: .invalidCredentials,
            subject: "expiresAfter",
            message: "A presigned URL can't be valid for \(expiration). Pass 1 second to 7 days as expiresAfter."
        )
    }

    fileprivate static func missingField(_ name: Field.Name) -> RequestError {
        RequestError(
            code: .invalidCredentials,
            subject: "\(name)",
            message: "The request has no \(name), so a presigned URL can't cover it. Add the field, or don't list it."
        )
    }

    fileprivate static let unreadablePayload = RequestError(
        code: .unsupportedBody,
        subject: "body",
        message: "The body can be read only once, so it can't be signed before it is sent. Compute its SHA-256 first, "
            + "and pass payload: .sha256(…)."
    )

    fileprivate static let unprotectedPayload = RequestError(
        code: .unsupportedBody,
        subject: "body",
        message: "Neither the signature nor http protects the body. Use https, or compute the body's SHA-256 first, "
            + "and pass payload: .sha256(…)."
    )

    fileprivate static func invalidDigest(_ digest: Data) -> RequestError {
        RequestError(
            code: .invalidCredentials,
            subject: "payload",
            message: "The SHA-256 of the body has \(digest.count) bytes. Pass the 32 raw bytes, not hexadecimal digits."
        )
    }
}
