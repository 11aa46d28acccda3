import Requests
import RequestsSchemes

/// The protocol of an upload that resumes: how its requests are written, and its responses are read.
public struct UploadProtocol: Hashable, Sendable, CustomStringConvertible {
    enum Form: Hashable {
        case automatic
        case tus
        case draft(Int)
    }

    let form: Form
    /// Whether `PATCH` and `DELETE` are sent as `POST`.
    private(set) var overridesMethod = false

    private init(_ form: Form) { self.form = form }

    /// The protocol that the server announces, which an `OPTIONS` request asks for. The client remembers the answer.
    ///
    /// A server that doesn't answer gets the request with the fields of the newest draft, which any server accepts.
    public static let automatic = Self(.automatic)

    /// tus 1.0.0, for servers that support it only: it creates the upload with a request without a body.
    ///
    /// Specification: https://tus.io/protocols/resumable-upload
    public static let tus = Self(.tus)

    /// A draft of the IETF. Versions don't interoperate.
    ///
    /// - Parameter interopVersion: 3, 5, 6 or 8. With another one, the upload throws
    ///   `ClientError.Code.uploadFailed`.
    ///
    /// Specification: draft-ietf-httpbis-resumable-upload.
    public static func draft(_ interopVersion: Int) -> Self { Self(.draft(interopVersion)) }

    /// The same protocol for networks that don't let `PATCH` and `DELETE` pass: they are sent as `POST` with
    /// `X-HTTP-Method-Override`.
    public var overridingMethod: Self {
        var copy = self
        copy.overridesMethod = true
        return copy
    }

    /// The name of the protocol, such as `tus 1.0.0`.
    public var description: String {
        switch form {
        case .automatic: "automatic"
        case .tus: "tus 1.0.0"
        case .draft(let version): "draft \(version)"
        }
    }

    static let newestDraft = UploadProtocol.draft(8)
    private static let all = [tus, draft(3), draft(5), draft(6), newestDraft]

    /// Whether the protocol is known. A later program could read the name of a newer one.
    var isKnown: Bool { form == .automatic || UploadProtocol.all.contains { $0.form == form } }

    /// Reads a ``description``.
    init?(_ description: String) {
        guard let known = UploadProtocol.all.first(where: { $0.description == description }) else { return nil }
        self = known
    }

    /// The protocol of this form with the settings of another one.
    func with(settingsOf other: UploadProtocol) -> UploadProtocol {
        var copy = self
        copy.overridesMethod = other.overridesMethod
        return copy
    }

    /// Whether an upload of this protocol may continue with another one that the server announces. Versions of the
    /// draft replace each other, because any server accepts an upload with one that it doesn't know.
    func accepts(_ other: UploadProtocol) -> Bool {
        form == .automatic || version != nil && other.version != nil
    }

    var isTus: Bool { form == .tus }
    /// The interop version of a draft.
    var version: Int? { if case .draft(let version) = form { version } else { nil } }

    // MARK: Requests

    /// Sets the field that every request of the upload has.
    func identify(_ header: inout Header) {
        switch form {
        case .automatic: break
        case .tus: header.set(Field(name: .tusResumable, value: "1.0.0"))
        case .draft(let version): header.set(Field(name: .interopVersion, value: "\(version)"))
        }
    }

    /// Describes the upload in the request that creates it.
    ///
    /// - Parameters:
    ///   - isComplete: Whether the request has the whole body.
    ///   - length: The length of the whole body. `nil` if it isn't known yet.
    func create(_ header: inout Header, isComplete: Bool, length: Int64?) {
        identify(&header)
        switch (length, isTus) {
        case (let length?, _) where isTus || version ?? 0 >= 6:
            header.set(Field(name: .uploadLength, value: "\(length)"))
        case (nil, true): header.set(Field(name: "Upload-Defer-Length", value: "1"))
        default: break
        }
        setComplete(isComplete, &header)
    }

    /// Describes a part of the body.
    func append(_ header: inout Header, from offset: Int64, isLast: Bool) {
        header.set(partType)
        header.set(Field(name: .uploadOffset, value: "\(offset)"))
        setComplete(isLast, &header)
    }

    /// The type of a part of the body.
    var partType: Field {
        Field(name: .contentType, value: isTus ? "application/offset+octet-stream" : "application/partial-upload")
    }

    private func setComplete(_ isComplete: Bool, _ header: inout Header) {
        guard let version else { return }
        let name: Field.Name = version < 5 ? .uploadIncomplete : .uploadComplete
        header.set(Field(name: name, value: isComplete == (version >= 5) ? "?1" : "?0"))
    }

    // MARK: Responses

    /// Whether the upload is complete. `nil` if the response doesn't say it.
    ///
    /// With a draft, the response is the target's then. tus has no such response: the last bytes end the upload.
    func isComplete(_ head: ResponseHead, length: Int64?) -> Bool? {
        if isTus { return head.status.isSuccess ? head.uploadOffset.map { $0 == length } : nil }
        // swift-nio-extras sends the field of the other versions in its last response.
        return head.header.flag(.uploadComplete) ?? head.header.flag(.uploadIncomplete).map(!)
    }

    /// Whether an informational response is about the upload, with the same version of the protocol.
    func isSupport(_ head: ResponseHead) -> Bool {
        head.statusCode == 104 && version != nil && head.interopVersion == version
    }

    /// The draft that a server wants in place of this one. `nil` if the response isn't such a refusal.
    func replacement(by head: ResponseHead) -> Replacement? {
        guard let version, head.statusCode == 400, head.header.contains(.interopVersion), head.interopVersion != version
        else { return nil }
        let other = head.interopVersion.map { UploadProtocol.draft($0).with(settingsOf: self) }
        return other.flatMap { $0.isKnown ? .draft($0) : nil } ?? .unknown
    }

    enum Replacement {
        case draft(UploadProtocol)
        case unknown
    }
}

/// What a server says about uploads in its response to `OPTIONS`.
struct UploadSupport: Hashable, Sendable {
    /// The algorithm of `Upload-Checksum`.
    enum Checksum: String {
        case sha256
        case sha1

        func fieldValue(for data: Data) -> String {
            let digest = self == .sha1 ? SHA1.hash(data) : SHA2.sha256(data)
            return "\(rawValue) \(Data(digest).base64EncodedString())"
        }
    }

    /// `nil` if the server announces none that is known.
    private(set) var form: UploadProtocol?
    private(set) var limits = UploadLimits()
    private(set) var checksum: Checksum?
    /// Whether the request that creates the upload can have a body.
    private(set) var createsWithBody = false
    /// Whether the same question would have the same answer later.
    private(set) var isLasting = false

    init() {}

    /// - Parameter asked: The protocol of the request, which the response may not repeat.
    init(_ head: ResponseHead, to asked: UploadProtocol = .newestDraft) {
        let header = head.header
        limits.merge(header)
        isLasting = head.status.isSuccess || [404, 405, 501].contains(head.statusCode)
        let named = head.interopVersion.map { UploadProtocol.draft($0) }
        if head.status.isSuccess, header.list("Tus-Version").contains("1.0.0") {
            form = .tus
            let extensions = header.list("Tus-Extension")
            createsWithBody = extensions.contains("creation-with-upload")
            let algorithms = extensions.contains("checksum") ? header.list("Tus-Checksum-Algorithm") : []
            checksum = [.sha256, .sha1].first { algorithms.contains($0.rawValue) }
        } else if let named, named.isKnown {
            // swift-nio-extras names its version when it refuses another one.
            form = named
        } else if head.status.isSuccess, named == nil, header.announcesDraft {
            form = asked.version == nil ? .newestDraft : asked
        }
        isLasting = isLasting || form != nil
    }
}

/// Describes the file of an upload to a tus server, such as its name.
///
/// Which keys a server reads is in its documentation. Many read `filename` and `filetype`.
public struct UploadMetadata: Hashable, Sendable, ExpressibleByDictionaryLiteral {
    private let pairs: [String: String]
    private let keys: [String]

    /// Creates metadata from pairs of keys and values.
    ///
    /// If a key occurs twice, is empty, or contains a space, a comma or a character outside ASCII, the upload throws
    /// `ClientError.Code.uploadFailed`.
    public init(dictionaryLiteral elements: (String, String)...) {
        keys = elements.map(\.0)
        pairs = Dictionary(elements, uniquingKeysWith: { $1 })
    }

    /// Creates metadata from a dictionary.
    public init(_ pairs: [String: String]) { (self.pairs, keys) = (pairs, pairs.keys.sorted()) }

    var isEmpty: Bool { keys.isEmpty }

    /// A key that can't be sent.
    var invalidKey: String? {
        keys.first { key in
            key.isEmpty || keys.count(where: { $0 == key }) > 1
                || !key.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: ",") }
        }
    }

    /// The value of `Upload-Metadata`.
    var fieldValue: String {
        keys.map { key in
            let value = Data((pairs[key] ?? "").utf8).base64EncodedString()
            return value.isEmpty ? key : "\(key) \(value)"
        }
        .joined(separator: ",")
    }
}
