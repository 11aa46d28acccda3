import Requests

/// The checks of the keywords for strings, numbers and counts.
extension [String: JSONValue] {
    /// Returns the rules that a string violates.
    func faults(of text: String, _ schemas: SchemaDocument) -> [String] {
        var faults: [String] = []
        // JSON Schema counts Unicode scalars as characters.
        let length = text.unicodeScalars.count
        if let limit = self["minLength"]?.count, length < limit { faults.append("has fewer than \(limit) characters") }
        if let limit = self["maxLength"]?.count, length > limit { faults.append("has more than \(limit) characters") }
        if let pattern = self["pattern"]?.string, schemas.pattern(pattern)?.matches(text) == false {
            faults.append("doesn't match the pattern \(Redaction.quoted(pattern))")
        }
        if let format = self["format"]?.string, SchemaFormats.all[format]?.matches(text) == false {
            faults.append("isn't in the format \(format)")
        }
        return faults
    }

    /// Returns the rules that the number of elements or members violates.
    ///
    /// - Parameter suffix: The end of the keywords' names: `Items` or `Properties`.
    func faults(ofCount count: Int, _ noun: String, _ suffix: String) -> [String] {
        let (least, most) = (self["min" + suffix]?.count ?? 0, self["max" + suffix]?.count ?? .max)
        let fault = count < least ? "fewer than \(least)" : count > most ? "more than \(most)" : nil
        return fault.map { ["has \(count) \(noun), \($0)"] } ?? []
    }

    func faults(ofNumber value: JSONValue) -> [String] {
        guard let number = value.double else { return [] }
        var faults: [String] = []
        if exceeds("minimum", "exclusiveMinimum", number, <) { faults.append("is less than the schema's minimum") }
        if exceeds("maximum", "exclusiveMaximum", number, >) { faults.append("is more than the schema's maximum") }
        if let factor = self["multipleOf"], let divisor = factor.double, divisor > 0, !value.isMultiple(of: factor) {
            faults.append("isn't a multiple of \(divisor)")
        }
        if let format = self["format"]?.string, ["int32", "int64"].contains(format) {
            let integer = Int64(value.description)
            let isInRange = format == "int64" ? integer != nil : integer.flatMap { Int32(exactly: $0) } != nil
            if !isInRange { faults.append("is out of the range of \(format)") }
        }
        return faults
    }

    /// Returns whether a number is beyond a limit. In OpenAPI 3.0, the exclusive keyword is a Boolean.
    private func exceeds(_ name: String, _ strict: String, _ value: Double, _ order: (Double, Double) -> Bool) -> Bool {
        let (strict, limit) = (self[strict], self[name]?.double)
        if let limit, order(value, limit) || strict?.isTrue == true && value == limit { return true }
        return strict?.double.map { !order($0, value) } ?? false
    }
}

extension JSONValue {
    /// The type with an article, for messages.
    var typeName: String {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .integer, .decimal, .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }

    /// Whether a number is a multiple of another one, without rounding.
    fileprivate func isMultiple(of factor: JSONValue) -> Bool {
        guard let value = Decimal(string: description), let divisor = Decimal(string: factor.description),
            case let quotient = value / divisor, quotient.isFinite
        else { return (double ?? 0).remainder(dividingBy: factor.double ?? 1) == 0 }
        // The product shows whether the quotient was rounded.
        return quotient * divisor == value && !"\(quotient)".contains(".")
    }

    func isOf(type: String) -> Bool {
        if type == "integer", let double { return double.rounded() == double }
        return typeName.split(separator: " ").last.map { $0 == type } ?? false
    }
}
