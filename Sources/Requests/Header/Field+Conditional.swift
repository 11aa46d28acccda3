extension Field {
    /// `If-Match`: applies the request only if the current version has one of these tags (RFC 9110 §13.1.1).
    ///
    /// Without tags, the field is `*`: the resource must exist.
    public static func ifMatch(_ tags: EntityTag...) -> Field {
        field(.ifMatch, tags)
    }

    /// `If-None-Match`: applies the request only if the current version has none of these tags (RFC 9110 §13.1.2).
    ///
    /// Without tags, the field is `*`: the resource must not exist.
    public static func ifNoneMatch(_ tags: EntityTag...) -> Field {
        field(.ifNoneMatch, tags)
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
    ///
    /// Building the request throws if the tag is weak.
    public static func ifRange(_ tag: EntityTag) -> Field {
        tag.isWeak ? Field(name: .ifRange, value: tag.rawValue, defect: .weakEntityTag) : field(.ifRange, [tag])
    }

    /// `Range`: the bytes between two positions, which start at 0 (RFC 9110 §14.2).
    public static func range(bytes: ClosedRange<Int64>) -> Field {
        range("\(bytes.lowerBound)-\(bytes.upperBound)", from: bytes.lowerBound)
    }

    /// `Range`: the bytes from a position to the end. Positions start at 0 (RFC 9110 §14.2).
    public static func range(bytes: PartialRangeFrom<Int64>) -> Field {
        range("\(bytes.lowerBound)-", from: bytes.lowerBound)
    }

    /// `Range`: the last bytes (RFC 9110 §14.2).
    ///
    /// - Parameter count: The number of bytes.
    public static func range(lastBytes count: Int64) -> Field {
        range("-\(count)", from: count)
    }

    /// Building the request throws if a number is negative.
    private static func range(_ text: String, from number: Int64) -> Field {
        Field(name: .range, value: "bytes=\(text)", defect: number < 0 ? .range : nil)
    }

    /// Returns a field with tags. Building the request throws if one of them isn't valid.
    private static func field(_ name: Name, _ tags: [EntityTag]) -> Field {
        let value = tags.isEmpty ? "*" : tags.map(\.rawValue).joined(separator: ", ")
        return Field(name: name, value: value, defect: tags.allSatisfy(\.isValid) ? nil : .entityTag)
    }
}
