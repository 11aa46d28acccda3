import Foundation
import Requests

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
        /// The signature covers the whole body, which is read once more for that. A sequence of chunks can't be read
        /// twice.
        case signed
        /// The signature doesn't cover the body. For S3 over `https`.
        case unsigned
        /// Each chunk of the body is signed as it is sent. For S3, with bodies in memory and sequences of known length.
        case streamed
    }

    let credentials: AWSCredentials
    let region: String
    let service: String
    private let payload: Payload
    private let date: @Sendable () -> Date

    /// Creates a signer.
    ///
    /// - Parameters:
    ///   - credentials: The access key.
    ///   - region: The region, such as `us-east-1`.
    ///   - service: The name of the service for signatures, such as `s3` or `execute-api`.
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
    /// - Throws: `RequestError.Code.unsupportedBody` if the payload can't be signed as configured, or an error of
    ///   reading the body.
    public func sign(_ request: inout PreparedRequest) throws {
        let scope = AWSScope(date: date(), region: region, service: service)
        request.header.remove(.authorization)
        request.header.set(Field(name: "X-Amz-Date", value: scope.timestamp))
        if let token = credentials.sessionToken {
            request.header.set(Field(name: "X-Amz-Security-Token", value: token).sensitive())
        }
        let hash = try payloadHash(of: &request)
        let canonical = AWSCanonicalRequest(request, service: service, header: signedHeader(of: request), payload: hash)
        let signature = scope.sign(canonical, with: credentials)
        request.header.set(
            .authorization(
                "AWS4-HMAC-SHA256 Credential=\(credentials.accessKeyID)/\(scope.text), "
                    + "SignedHeaders=\(canonical.signedNames), Signature=\(signature)"
            )
        )
        if payload == .streamed {
            request.body = try AWSChunkedBody.wrapping(
                request.body,
                AWSChunkSigner(scope: scope, key: scope.key(for: credentials), signature: signature)
            )
        }
    }

    /// The header with the length of a body in chunks, which no proxy may change.
    private func signedHeader(of request: PreparedRequest) -> Header {
        var header = request.header
        header.remove(.contentLength)
        if payload == .streamed, let length = request.body.length {
            header.set(Field(name: .contentLength, value: "\(AWSChunkedBody.length(ofContent: length))"))
        }
        return header
    }

    /// Returns a URL that performs a request without further authentication, for example in a browser.
    ///
    /// The signature covers the method, the URL and the `Host`, but no other fields and no body.
    ///
    /// - Parameters:
    ///   - request: The request. Only its method and URL are used.
    ///   - expiration: How long the URL is valid: 1 second to 7 days.
    /// - Throws: `RequestError.Code.invalidCredentials` if the expiration is out of range.
    public func presignedURL(for request: PreparedRequest, expiresAfter expiration: Duration) throws -> RequestURL {
        guard (1...604_800).contains(expiration.components.seconds) else {
            throw RequestError(
                code: .invalidCredentials,
                subject: "expiresAfter",
                message: "A presigned URL is valid for 1 second to 7 days, not for \(expiration)."
            )
        }
        let scope = AWSScope(date: date(), region: region, service: service)
        var items = [
            ("X-Amz-Algorithm", "AWS4-HMAC-SHA256"), ("X-Amz-Credential", "\(credentials.accessKeyID)/\(scope.text)"),
            ("X-Amz-Date", scope.timestamp), ("X-Amz-Expires", "\(expiration.components.seconds)"),
            ("X-Amz-SignedHeaders", "host"),
        ]
        if let token = credentials.sessionToken { items.append(("X-Amz-Security-Token", token)) }
        var request = request
        request.url = try request.url.appending(items)
        let hash = service == "s3" ? AWSSignatureV4.unsignedPayload : SHA2.sha256([]).hexadecimal
        let canonical = AWSCanonicalRequest(request, service: service, header: .empty, payload: hash)
        return try request.url.appending([("X-Amz-Signature", scope.sign(canonical, with: credentials))])
    }

    private static let unsignedPayload = "UNSIGNED-PAYLOAD"

    /// Returns the hash of the body for the canonical request, and adds the fields that describe it.
    private func payloadHash(of request: inout PreparedRequest) throws -> String {
        let hash: String
        switch payload {
        case .signed: hash = try request.body.sha256().hexadecimal
        case .unsigned: hash = AWSSignatureV4.unsignedPayload
        case .streamed:
            hash = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD"
            guard let length = request.body.length else { throw RequestError.unknownLength }
            request.header.set(Field(name: "X-Amz-Decoded-Content-Length", value: "\(length)"))
            request.header.set(Field(name: .contentEncoding, value: request.header.awsChunkedEncoding))
        }
        if service == "s3" || payload != .signed {
            request.header.set(Field(name: "X-Amz-Content-SHA256", value: hash))
        }
        return hash
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
        return .signing { request in try signer.sign(&request) }
    }
}

extension Header {
    /// `aws-chunked`, and the encodings that the request's own content has.
    fileprivate var awsChunkedEncoding: String {
        let others = self[values: .contentEncoding].flatMap { $0.split(separator: ",") }
            .map { $0.trimmingCharacters(in: .whitespaces) }
            .filter { $0 != "aws-chunked" }
        return (["aws-chunked"] + others).joined(separator: ",")
    }
}

extension RequestBody {
    /// The digest of the whole body.
    fileprivate func sha256() throws -> [UInt8] {
        guard let stream = isReplayable ? makeInputStream() : nil else {
            guard isNone || data != nil else { throw RequestError.unreadablePayload }
            return SHA2.sha256(Array(data ?? Data()))
        }
        var digest = SHA2.sha256()
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        stream.open()
        defer { stream.close() }
        while true {
            let count = unsafe stream.read(&buffer, maxLength: buffer.count)
            guard count >= 0 else { throw stream.streamError ?? RequestError.unreadablePayload }
            if count == 0 { return digest.digest() }
            digest.update(buffer[..<count])
        }
    }
}

extension RequestURL {
    /// Returns the URL with query items at the end of its query.
    fileprivate func appending(_ items: [(name: String, value: String)]) throws -> RequestURL {
        let added = items.map { "\($0.name)=\(PercentEncoding.encoded($0.value))" }.joined(separator: "&")
        let base = text.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)[0]
        return try RequestURL(base + (query == nil ? "?" : query == "" ? "" : "&") + added).redacting(sameAs: self)
    }
}

extension RequestError {
    fileprivate static let unknownLength = RequestError(
        code: .unsupportedBody,
        subject: "body",
        message: "The length of the body is unknown. Pass it, because a signature of chunks includes it."
    )

    static let unreadablePayload = RequestError(
        code: .unsupportedBody,
        subject: "body",
        message: "The body can be read only once, so it can't be signed before it is sent. Use payload: .unsigned or "
            + ".streamed."
    )
}
