/// The formats that are checked. Each is a pattern, which is matched in linear time.
enum SchemaFormats {
    static let all: [String: SchemaPattern] = [
        "date": date, "time": time, "date-time": "\(date)[Tt]\(time)", "email": "[^\\s@]+@[^\\s@]+",
        "uuid": "[\\da-fA-F]{8}-(?:[\\da-fA-F]{4}-){3}[\\da-fA-F]{12}",
        "uri": "[A-Za-z][A-Za-z0-9+.-]*:(?:[!#$&-;=?-Z\\[\\]_a-z~]|%[\\da-fA-F]{2})*",
        "byte": "(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?",
    ].compactMapValues { SchemaPattern("^(?:\($0))$") }

    /// Formats that allow every string, or that are checked together with numbers.
    static let harmless: Set<String> = ["int32", "int64", "float", "double", "password", "binary"]

    // A date and a time with an offset (RFC 3339 §5.6).
    private static let leapYear = "(?:\\d\\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)"
    private static let longMonth = "(?:0[13578]|1[02])-(?:0[1-9]|[12]\\d|3[01])"
    private static let shortMonth = "(?:0[469]|11)-(?:0[1-9]|[12]\\d|30)|02-(?:0[1-9]|1\\d|2[0-8])"
    private static let date = "(?:\\d{4}-(?:\(longMonth)|\(shortMonth))|\(leapYear)-02-29)"
    private static let clock = "(?:[01]\\d|2[0-3]):[0-5]\\d"
    private static let time = "\(clock):(?:[0-5]\\d|60)(?:\\.\\d+)?(?:[Zz]|[+-]\(clock))"
}
