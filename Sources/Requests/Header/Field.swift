/// One field of an HTTP header: a name and a value.
///
/// A field can be created from any strings. If the name isn't a token, or the value contains a control character but a
/// tab, building the request throws ``RequestError``. Two fields are equal if their values are, and their names
/// without regard to case. ``sensitive(_:)`` isn't compared.
///
/// Specification: RFC 9110 §5.
public struct Field: Sendable {
    /// The field's name.
    public let name: Name

    /// The field's value, without leading or trailing white space.
    public let value: String

    /// The argument of ``sensitive(_:)``. `nil` if it wasn't called.
    private var mark: Bool?

    /// Whether the field was checked when it was created and is valid with any body, so that builds skip the check.
    private(set) var isKnownToBeValid: Bool

    /// Why a typed field can't represent its value. `nil` if it can.
    private(set) var defect: Defect?

    /// Whether the value is a credential: the mark of ``sensitive(_:)``, or else ``Name/isSensitive``.
    ///
    /// A redirect to another origin removes such fields, and fields with such names even if they are marked otherwise.
    public var isSensitive: Bool { mark ?? name.isSensitive }

    /// Whether descriptions, logs and errors show the value: names that are known to be harmless, and fields marked
    /// with `sensitive(false)`.
    var isShown: Bool { mark.map { !$0 } ?? name.isHarmless }

    /// Creates a field.
    ///
    /// - Parameters:
    ///   - name: The field's name.
    ///   - value: The field's value. Spaces and tabs around it are removed, because they aren't part of a value.
    public init(name: Name, value: String) {
        let (isPadded, isFieldValue) = value.withBytes { unsafe ($0.isPaddedFieldValue, ASCII.isFieldValue($0)) }
        self.name = name
        self.value = isPadded ? value.trimmingFieldWhitespace() : value
        self.isKnownToBeValid = isFieldValue && name.isToken && !name.isFraming
    }

    /// Creates a field whose value lists media types. Building the request throws if one of them isn't valid.
    init(name: Name, mediaTypes types: some Collection<MediaType>) {
        self.init(
            name: name,
            value: types.count > 1 ? types.map(\.rawValue).joined(separator: ", ") : types.first?.rawValue ?? ""
        )
        if !types.allSatisfy(\.isValid) { setDefect(.mediaType) }
    }

    /// Creates a typed field. Building the request throws if there is a defect.
    init(name: Name, value: String, defect: Defect?) {
        self.init(name: name, value: value)
        if let defect { setDefect(defect) }
    }

    private mutating func setDefect(_ defect: Defect) {
        self.defect = defect
        isKnownToBeValid = false
    }

    /// Creates a field from a value without white space around it.
    package init(name: Name, trimmedValue: String) {
        self.name = name
        self.value = trimmedValue
        self.isKnownToBeValid = false
    }

    /// The part of a typed field that isn't valid.
    enum Defect {
        case mediaType
        case cookie
        case entityTag
        case weakEntityTag
        case missingEntityTag
        case range
    }

    /// Returns the field marked as a credential, or as none.
    ///
    /// Descriptions, logs and errors hide the values of all fields but those with registered, harmless names. Mark a
    /// field of your own with `false` to show its value.
    ///
    /// - Parameter isSensitive: Whether the value is a credential. Default: `true`.
    public func sensitive(_ isSensitive: Bool = true) -> Field {
        var copy = self
        copy.mark = isSensitive
        return copy
    }

    /// Returns the field with the defect and the mark of the fields that it replaces.
    func inheriting(from fields: some Sequence<Field>) -> Field {
        var copy = self
        for field in fields {
            if field.isSensitive { copy.mark = true } else if copy.mark == nil { copy.mark = field.mark }
            if let defect = field.defect { copy.setDefect(defect) }
        }
        return copy
    }
}

extension Field: Hashable {
    /// Compares the names without regard to case, and the values byte by byte.
    public static func == (lhs: Field, rhs: Field) -> Bool {
        // By bytes, because canonically equivalent strings differ on the wire.
        lhs.value.utf8.elementsEqual(rhs.value.utf8) && lhs.name == rhs.name
    }

    /// Hashes the name without regard to case, and the bytes of the value.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        for byte in value.utf8 { hasher.combine(byte) }
    }
}

extension Field: Redacted {
    /// The field as a header line. A value that isn't known to be harmless is replaced by `REDACTED`.
    public var description: String { line(revealingSecrets: false) }

    /// Returns the field with the value that descriptions show.
    package func redacted() -> Field { Field(name: name, value: shownValue) }

    package func line(revealingSecrets: Bool) -> String {
        "\(name): \(revealingSecrets ? value : shownValue)"
    }

    private var shownValue: String {
        guard isShown || value.isEmpty else { return Redaction.placeholder }
        return name.holdsURLs ? Redaction.hidingCredentials(in: value) : value
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Whether the value starts or ends with a space or tab.
    fileprivate var isPaddedFieldValue: Bool {
        unsafe first?.isFieldWhitespace == true || last?.isFieldWhitespace == true
    }
}
