import Requests
import RequestsSchemes

extension Field.Name {
    static let interopVersion: Field.Name = "Upload-Draft-Interop-Version"
    static let tusResumable: Field.Name = "Tus-Resumable"
    static let uploadComplete: Field.Name = "Upload-Complete"
    static let uploadIncomplete: Field.Name = "Upload-Incomplete"
    static let uploadLength: Field.Name = "Upload-Length"
    static let uploadLimit: Field.Name = "Upload-Limit"
    static let uploadOffset: Field.Name = "Upload-Offset"

    /// Whether the field belongs only to the request that creates the upload: it describes the whole body or names the
    /// operation, or it is a condition on the target.
    var belongsToCreation: Bool {
        let name = ASCII.lowercased(rawValue)
        return ["content-", "if-", "repr-", "upload-", "want-"].contains { name.hasPrefix($0) }
            || [.idempotencyKey, .range, "Digest", "Expect", "Last-Modified", "Trailer"].contains(self)
    }
}

extension ResponseHead {
    /// The number of bytes that the server has. `nil` if the field is missing or invalid.
    var uploadOffset: Int64? { header.count(.uploadOffset) }

    /// The number of bytes of the whole body. `nil` if the field is missing or invalid.
    var uploadLength: Int64? { header.count(.uploadLength) }

    /// The version of the draft. `nil` if the field is missing or invalid.
    var interopVersion: Int? { header.count(.interopVersion).flatMap { Int(exactly: $0) } }
}

extension Header {
    private func item(_ name: Field.Name) -> StructuredField.Value? {
        single(name).flatMap { try? StructuredField.parseItem($0).value }
    }

    fileprivate func count(_ name: Field.Name) -> Int64? {
        guard case .integer(let count) = item(name), count >= 0 else { return nil }
        return count
    }

    func flag(_ name: Field.Name) -> Bool? {
        guard case .boolean(let flag) = item(name) else { return nil }
        return flag
    }

    /// The elements of a list of names, in lowercase.
    func list(_ name: Field.Name) -> [String] {
        self[values: name].flatMap { ASCII.lowercased($0).listElements(hasEscapes: false) }
    }

    /// Whether the server announces the newest draft, which demands `Accept-Patch`. `Upload-Limit` appears if limits
    /// apply.
    var announcesDraft: Bool {
        list("Accept-Patch").contains("application/partial-upload") || UploadLimits.members(self) != nil
    }

    fileprivate var tusMaximumSize: Int64? { count("Tus-Max-Size") }
}

/// The limits of a server for uploads, in bytes.
///
/// Only the server can check `min-append-size`, because no part is smaller than it needs to be, and `max-age`.
struct UploadLimits: Hashable, Sendable {
    private(set) var maximumSize: Int64?
    private(set) var minimumSize: Int64?
    private(set) var maximumAppendSize: Int64?

    /// Adds the limits of a response. Limits that it doesn't mention stay.
    mutating func merge(_ header: Header) {
        maximumSize = header.tusMaximumSize ?? maximumSize
        guard let members = UploadLimits.members(header) else { return }
        (maximumSize, minimumSize) = (members["max-size"] ?? maximumSize, members["min-size"] ?? minimumSize)
        maximumAppendSize = members["max-append-size"] ?? maximumAppendSize
    }

    mutating func merge(_ other: UploadLimits) {
        (maximumSize, minimumSize) = (other.maximumSize ?? maximumSize, other.minimumSize ?? minimumSize)
        maximumAppendSize = other.maximumAppendSize ?? maximumAppendSize
    }

    /// Reads `Upload-Limit`. `nil` if the field is missing or invalid. One member of the wrong type makes it invalid.
    static func members(_ header: Header) -> [String: Int64]? {
        guard let text = header[.uploadLimit], let members = try? StructuredField.parseDictionary(text) else {
            return nil
        }
        var limits: [String: Int64] = [:]
        for key in ["max-size", "min-size", "max-append-size", "min-append-size", "max-age"] {
            guard let item = members[key] else { continue }
            guard case .integer(let count) = item.value, count >= 0 else { return nil }
            limits[key] = count
        }
        return limits
    }
}
