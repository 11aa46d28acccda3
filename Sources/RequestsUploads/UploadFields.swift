import Requests
import RequestsSchemes

/// The version of the protocol. Versions don't interoperate.
let interopVersion = 8

extension Field.Name {
    static let interopVersion: Field.Name = "Upload-Draft-Interop-Version"
    static let uploadComplete: Field.Name = "Upload-Complete"
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

    /// Whether the response is the target's, because the upload is complete. `nil` if the field is missing or invalid.
    var isUploadComplete: Bool? {
        guard case .boolean(let isComplete) = header.item(.uploadComplete) else { return nil }
        return isComplete
    }

    /// Whether the response is a `104` of the same version of the protocol.
    var isResumptionSupport: Bool {
        statusCode == 104 && header.item(.interopVersion) == .integer(Int64(interopVersion))
    }

    /// Whether the server names another version of the protocol, as swift-nio-extras does.
    var isRefusalOfVersion: Bool {
        header.contains(.interopVersion) && header.item(.interopVersion) != .integer(Int64(interopVersion))
    }
}

extension Header {
    fileprivate func item(_ name: Field.Name) -> StructuredField.Value? {
        single(name).flatMap { try? StructuredField.parseItem($0).value }
    }

    fileprivate func count(_ name: Field.Name) -> Int64? {
        guard case .integer(let count) = item(name), count >= 0 else { return nil }
        return count
    }
}

/// The limits of a server for uploads, in bytes.
///
/// Only the server can check `min-append-size`, because no part is smaller than it needs to be, and `max-age`.
struct UploadLimits: Hashable, Sendable {
    var maximumSize: Int64?
    var minimumSize: Int64?
    var maximumAppendSize: Int64?

    /// Reads `Upload-Limit`. `nil` if the field is missing or invalid. One member of the wrong type makes it invalid.
    init?(_ header: Header) {
        guard let text = header[.uploadLimit], let members = try? StructuredField.parseDictionary(text) else {
            return nil
        }
        var limits: [String: Int64] = [:]
        for key in ["max-size", "min-size", "max-append-size", "min-append-size", "max-age"] {
            guard let item = members[key] else { continue }
            guard case .integer(let count) = item.value, count >= 0 else { return nil }
            limits[key] = count
        }
        (maximumSize, minimumSize) = (limits["max-size"], limits["min-size"])
        maximumAppendSize = limits["max-append-size"]
    }

    init() {}
}
