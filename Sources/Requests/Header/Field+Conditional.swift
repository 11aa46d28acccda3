import Foundation

extension Field {
    /// `If-Match`: applies the request only if the current version has one of these tags (RFC 9110 §13.1.1).
    ///
    /// Without tags, the field is `*`: the resource must exist.
    public static func ifMatch(_ tags: EntityTag...) -> Field {
        Field(name: .ifMatch, value: list(tags))
    }

    /// `If-None-Match`: applies the request only if the current version has none of these tags (RFC 9110 §13.1.2).
    ///
    /// Without tags, the field is `*`: the resource must not exist.
    public static func ifNoneMatch(_ tags: EntityTag...) -> Field {
        Field(name: .ifNoneMatch, value: list(tags))
    }

    /// `If-Modified-Since`: applies the request only if the resource has changed after the date, which is rounded down
    /// to seconds (RFC 9110 §13.1.3).
    public static func ifModifiedSince(_ date: Date) -> Field {
        Field(name: .ifModifiedSince, value: HTTPDate.text(of: date))
    }

    /// `If-Unmodified-Since`: applies the request only if the resource hasn't changed after the date, which is rounded
    /// down to seconds (RFC 9110 §13.1.4).
    public static func ifUnmodifiedSince(_ date: Date) -> Field {
        Field(name: .ifUnmodifiedSince, value: HTTPDate.text(of: date))
    }

    /// `If-Range`: requests the range if the current version has this tag, and everything otherwise (RFC 9110 §13.1.5).
    public static func ifRange(_ tag: EntityTag) -> Field {
        Field(name: .ifRange, value: tag.rawValue)
    }

    /// `Range`: the bytes between two positions, which start at 0 (RFC 9110 §14.2).
    public static func range(bytes: ClosedRange<Int64>) -> Field {
        Field(name: .range, value: "bytes=\(bytes.lowerBound)-\(bytes.upperBound)")
    }

    /// `Range`: the bytes from a position to the end. Positions start at 0 (RFC 9110 §14.2).
    public static func range(bytes: PartialRangeFrom<Int64>) -> Field {
        Field(name: .range, value: "bytes=\(bytes.lowerBound)-")
    }

    /// `Range`: the last bytes (RFC 9110 §14.2).
    ///
    /// - Parameter count: The number of bytes.
    public static func range(lastBytes count: Int64) -> Field {
        Field(name: .range, value: "bytes=-\(count)")
    }

    private static func list(_ tags: [EntityTag]) -> String {
        tags.isEmpty ? "*" : tags.map(\.rawValue).joined(separator: ", ")
    }
}
