import HTTPTypes
import Requests

extension Header {
    /// Returns the fields as `HTTPFields`. The order and repeated names are kept.
    ///
    /// Sensitive fields get the indexing strategy `disallow`, so that no intermediary stores them in its compression
    /// table (RFC 7541 §7.1.3).
    ///
    /// - Throws: `RequestError.Code.invalidFieldName` or `invalidFieldValue`, because `HTTPField` would replace control
    ///   characters with spaces. `RequestError.Code.tooManyFields` above 65,534 fields.
    public func httpFields() throws(RequestError) -> HTTPFields {
        // HTTPFields traps at this number of fields.
        guard count < Int(UInt16.max) else { throw .tooManyFields(count) }
        var fields = HTTPFields()
        fields.reserveCapacity(count)
        for field in self { fields.append(try field.httpField()) }
        return fields
    }

    /// Creates a header from `HTTPFields`. The order and repeated names are kept.
    ///
    /// Fields with the indexing strategy `disallow` become sensitive.
    ///
    /// - Throws: `RequestError.Code.invalidFieldValue` if a value isn't UTF-8.
    public init(_ fields: HTTPFields) throws(RequestError) {
        self.init()
        for field in fields {
            guard let value = field.text else { throw .notUTF8(field.name.rawName) }
            add(field, value: value)
        }
    }

    /// Creates a response's header. A value that isn't UTF-8 is decoded as Latin-1, as transports do.
    init(response fields: HTTPFields) {
        self.init()
        for field in fields { add(field, value: field.text ?? field.latin1Text) }
    }

    private mutating func add(_ field: HTTPField, value: String) {
        let copy = Field(name: Field.Name(field.name.rawName), value: value)
        add(field.indexingStrategy == .disallow ? copy.sensitive() : copy)
    }
}

extension Field {
    fileprivate func httpField() throws(RequestError) -> HTTPField {
        guard let name = HTTPField.Name(name.rawValue) else { throw .invalidName(name.rawValue) }
        guard HTTPField.isValidValue(value) else { throw .invalidValue(of: name.rawName) }
        var field = HTTPField(name: name, value: value)
        if isSensitive { field.indexingStrategy = .disallow }
        return field
    }
}

extension HTTPField {
    /// The value. `nil` if it isn't UTF-8, in which case ``value`` would replace the invalid bytes.
    var text: String? {
        withUnsafeBytesOfValue { String(validating: $0, as: UTF8.self) }
    }

    fileprivate var latin1Text: String {
        withUnsafeBytesOfValue { bytes in String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) })) }
    }
}
