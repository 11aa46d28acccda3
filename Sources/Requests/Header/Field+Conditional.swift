import Foundation

extension Field {
    /// `If-Match`: only if the resource is still one of these versions; none for any that exists (RFC 9110 §13.1.1).
    public static func ifMatch(_ tags: EntityTag...) -> Field {
        Field(name: .ifMatch, value: list(tags))
    }

    /// `If-None-Match`: only if the resource is none of these versions; none for any that exists (RFC 9110 §13.1.2).
    public static func ifNoneMatch(_ tags: EntityTag...) -> Field {
        Field(name: .ifNoneMatch, value: list(tags))
    }

    /// `If-Modified-Since`: only if the resource has changed after that, in whole seconds (RFC 9110 §13.1.3).
    public static func ifModifiedSince(_ date: Date) -> Field {
        Field(name: .ifModifiedSince, value: HTTPDate.text(of: date))
    }

    /// `If-Unmodified-Since`: only if the resource has not changed after that, in whole seconds (RFC 9110 §13.1.4).
    public static func ifUnmodifiedSince(_ date: Date) -> Field {
        Field(name: .ifUnmodifiedSince, value: HTTPDate.text(of: date))
    }

    /// `If-Range`: the range only if the resource is still that version, else the whole (RFC 9110 §13.1.5).
    public static func ifRange(_ tag: EntityTag) -> Field {
        Field(name: .ifRange, value: tag.rawValue)
    }

    /// `Range`: a part, first and last byte counted from 0 (RFC 9110 §14.2).
    public static func range(bytes: ClosedRange<Int64>) -> Field {
        Field(name: .range, value: "bytes=\(bytes.lowerBound)-\(bytes.upperBound)")
    }

    /// `Range`: all from a byte on, counted from 0 (RFC 9110 §14.2).
    public static func range(bytes: PartialRangeFrom<Int64>) -> Field {
        Field(name: .range, value: "bytes=\(bytes.lowerBound)-")
    }

    /// `Range`: so many bytes at the end (RFC 9110 §14.2).
    public static func range(lastBytes count: Int64) -> Field {
        Field(name: .range, value: "bytes=-\(count)")
    }

    private static func list(_ tags: [EntityTag]) -> String {
        tags.isEmpty ? "*" : tags.map(\.rawValue).joined(separator: ", ")
    }
}
