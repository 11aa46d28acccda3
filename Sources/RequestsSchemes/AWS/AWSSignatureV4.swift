import Requests

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Signs requests to Amazon Web Services and compatible services.
///
/// ```swift
/// let signer = AWSSignatureV4(credentials, region: "eu-central-1", service: "s3")
/// let object = try bucket.get(.data, from: "/2026/report.csv").prepared()
/// let link = try signer.presignedURL(for: object, expiresAfter: .seconds(3600))
/// ```
///
/// To sign the requests of a client, use `.awsSigV4(…)` as their authentication.
///
/// Specification: AWS Signature Version 4; Amazon S3 API, "Authenticating Requests".
public struct AWSSignatureV4: Sendable {
    /// How the signature covers the body.
    public enum Payload: Hashable, Sendable {
        /// The signature covers the whole body, which is read once more for that.
        ///
        /// Streams and sequences of chunks can't be read twice. For S3 over `https`, which protects them, they are sent
        /// as with ``unsigned``. Otherwise signing throws.
        case signed
        /// The signature doesn't cover the body. For S3 over `https`.
        case unsigned
        /// The signature covers a body whose SHA-256 you have computed, for example of a stream that is sent over
        /// `http`.
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
    ///   - service: The name of the service for signatures, such as `s3` or `execute-api`. Signing throws for
    ///     `s3express`, which needs sessions.
    ///   - payload: How the signature covers the body. Default: the whole body.
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

    /// Signs a request in its `Authorization` field, and replaces an earlier signature.
    ///
    /// The signature covers the whole header except fields that transports and proxies change, such as `User-Agent`.
    ///
    /// A file is read on the calling thread. A client with `.awsSigV4(…)` reads it away from the caller's actor.
    ///
    /// - Throws: `RequestError.Code.unsupportedBody` if the payload can't be signed as configured, or an error of
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

    /// Whether the service has the rules of S3 for paths and payloads.
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

    /// Returns a URL that performs a request without further authentication, for example in a browser.
    ///
    /// The signature covers the method, the URL and the listed fields, but no body. Whoever has the URL can perform the
    /// request, and descriptions don't redact it.
    ///
    /// ```swift
    /// let put = bucket.put(.none, to: "/a").setting("x-amz-acl", "private")
    /// let link = try signer.presignedURL(for: put.prepared(), covering: ["x-amz-acl"], expiresAfter: .seconds(60))
    /// ```
    ///
    /// - Parameters:
    ///   - request: The request. Its body and its `Host` are ignored.
    ///   - names: The fields of the request that the recipient must send with the same values. AWS requires all
    ///     `x-amz-` fields that are sent. Default: none.
    ///   - expiration: How long the URL is valid: 1 second to 7 days.
    /// - Throws: `RequestError.Code.invalidCredentials` if the expiration is out of range or the request lacks a field.
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

    /// Returns the hash of the body for the canonical request.
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
    ///     .authenticated(with: .awsSigV4(credentials, region: "eu-central-1", service: "s3"))
    /// ```
    ///
    /// - Parameters:
    ///   - credentials: The access key.
    ///   - region: The region, such as `us-east-1`.
    ///   - service: The name of the service for signatures, such as `s3` or `execute-api`.
    ///   - payload: How the signature covers the body. Default: the whole body.
    ///   - date: Returns the current date. Default: the system's.
    public static func awsSigV4(
        _ credentials: AWSCredentials,
        region: String,
        service: String,
        payload: AWSSignatureV4.Payload = .signed,
        date: @escaping @Sendable () -> Date = { Date() }
    ) -> AuthenticationProvider {
        let signer = AWSSignatureV4(credentials, region: region, service: service, payload: payload, date: date)
        var provider = AuthenticationProvider { SigningFlow(sign: signer.sign) }
        provider.identity = credentials.accessKeyID
        return provider
    }
}

extension RequestURL {
    /// Returns the URL with query items at the end of its query.
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
            message: "A presigned URL is valid for 1 second to 7 days, not for \(expiration)."
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
            message: "The SHA-256 of the body has \(digest.count) bytes. Pass all 32, not hexadecimal digits."
        )
    }
}
