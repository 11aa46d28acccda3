/// One field of an HTTP header: a name and a value.
///
/// Any text can be put into a field; a name that is not a token, or a value with a line break or NUL,
/// makes the build of the request throw ``RequestError``. Two fields are equal when they put the same
/// field on the wire: the case of the name and the sensitive mark do not count.
///
/// Specification: RFC 9110 §5.
public struct Field: Sendable {
    /// The field's name.
    public let name: Name

    /// The field's value, without leading or trailing white space.
    public let value: String

    private var isMarkedSensitive: Bool

    /// Whether the field was found fit to send, with any body, when it was made: builds then skip the check.
    let isKnownToBeValid: Bool

    /// Whether descriptions, logs and errors hide the value.
    ///
    /// True for the names that carry credentials (``Name/isSensitive``) and for fields marked with ``sensitive()``.
    public var isSensitive: Bool { isMarkedSensitive || name.isSensitive }

    /// Creates a field.
    ///
    /// - Parameters:
    ///   - name: The field's name.
    ///   - value: The field's value. Spaces and tabs around it are removed: they are not part of a value.
    public init(name: Name, value: String) {
        let (isPadded, isFieldValue) = value.withBytes { ($0.isPaddedFieldValue, ASCII.isFieldValue($0)) }
        self.name = name
        self.value = isPadded ? value.trimmingFieldWhitespace() : value
        self.isMarkedSensitive = false
        self.isKnownToBeValid = isFieldValue && ASCII.isToken(name.rawValue) && !name.isOfFraming
    }

    /// Creates a field of a value that has no white space around it.
    package init(name: Name, trimmedValue: String) {
        self.name = name
        self.value = trimmedValue
        self.isMarkedSensitive = false
        self.isKnownToBeValid = false
    }

    /// Returns the field with its value hidden in descriptions, logs and errors.
    public func sensitive() -> Field {
        var copy = self
        copy.isMarkedSensitive = true
        return copy
    }
}

extension Field: Hashable {
    /// Compares name and value as they appear on the wire.
    public static func == (lhs: Field, rhs: Field) -> Bool {
        // By bytes: Unicode calls texts equal that are not the same on the wire.
        lhs.value.utf8.elementsEqual(rhs.value.utf8) && lhs.name == rhs.name
    }

    /// Hashes name and value as they appear on the wire.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        for byte in value.utf8 { hasher.combine(byte) }
    }
}

extension Field: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The field as a header line, with a sensitive value replaced by `<redacted>`.
    public var description: String { line(revealingSecrets: false) }

    /// The same as ``description``: a debugger's output ends up in logs too.
    public var debugDescription: String { description }

    /// The same as ``description``, for `dump`.
    public var customMirror: Mirror {
        Mirror(self, children: ["name": name, "value": shownValue])
    }

    package func line(revealingSecrets: Bool) -> String {
        "\(name): \(revealingSecrets ? value : shownValue)"
    }

    private var shownValue: String { isSensitive ? Redaction.placeholder : Redaction.shown(value, of: name) }
}

extension String {
    /// The text without the optional white space around a field's value (RFC 9110 §5.5: SP and HTAB).
    fileprivate func trimmingFieldWhitespace() -> String {
        let start = utf8.firstIndex { !$0.isFieldWhitespace } ?? endIndex
        let end = utf8.lastIndex { !$0.isFieldWhitespace }.map(utf8.index(after:)) ?? start
        return String(self[start..<end])
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Whether there is optional white space around the value.
    fileprivate var isPaddedFieldValue: Bool {
        first?.isFieldWhitespace == true || last?.isFieldWhitespace == true
    }
}
