import Foundation

/// The date format of HTTP header fields, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
///
/// Specification: RFC 9110 §5.6.7.
package enum HTTPDate {
    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// Formats a date, rounded down to whole seconds and clamped to the years 0…9999.
    static func text(of date: Date) -> String {
        let date = CivilDate(date)
        let day = "\(CivilDate.padded(date.day, to: 2)) \(months[date.month - 1]) \(CivilDate.padded(date.year, to: 4))"
        return "\(weekdays[date.weekday]), \(day) \(date.time) GMT"
    }
}

extension HTTPDate {
    /// Parses a date with the lenient algorithm for cookies, which also reads the three formats of RFC 9110 §5.6.7.
    ///
    /// Specification: RFC 6265bis §5.1.1.
    package static func parse(_ text: String) -> Date? {
        var time: (hour: Int, minute: Int, second: Int)?
        var day: Int?
        var month: Int?
        var year: Int?
        for token in text.utf8.split(whereSeparator: isDelimiter) {
            if time == nil, let found = parseTime(token) {
                time = found
            } else if day == nil, let found = number(token, digits: 1...2) {
                day = found
            } else if month == nil, let found = parseMonth(token) {
                month = found
            } else if year == nil, let found = number(token, digits: 2...4) {
                year = found
            }
        }
        guard let time, let day, let month, var year else { return nil }
        if (70...99).contains(year) { year += 1900 }
        if (0...69).contains(year) { year += 2000 }
        guard (1...31).contains(day), year >= 1601, time.hour <= 23, time.minute <= 59, time.second <= 59,
            day <= daysIn(month, of: year)
        else { return nil }
        let days = CivilDate.daysSince1970(year, month, day)
        return Date(timeIntervalSince1970: Double(days * 86_400 + time.hour * 3600 + time.minute * 60 + time.second))
    }

    private static func isDelimiter(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x09, 0x20...0x2F, 0x3B...0x40, 0x5B...0x60, 0x7B...0x7E: true
        default: false
        }
    }

    /// Parses the leading digits of a token.
    private static func number(_ token: Substring.UTF8View, digits: ClosedRange<Int>) -> Int? {
        let leading = token.prefix(while: \.isDigit)
        return digits.contains(leading.count) ? Int(String(Substring(leading))) : nil
    }

    private static func parseTime(_ token: Substring.UTF8View) -> (hour: Int, minute: Int, second: Int)? {
        let parts = token.split(separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].count <= 2, parts[1].count <= 2,
            let hour = Int(String(Substring(parts[0]))), let minute = Int(String(Substring(parts[1]))),
            let second = number(parts[2], digits: 1...2), hour >= 0, minute >= 0
        else { return nil }
        return (hour, minute, second)
    }

    private static func parseMonth(_ token: Substring.UTF8View) -> Int? {
        let name = token.prefix(3).map(ASCII.lowercased)
        return months.firstIndex { $0.utf8.map(ASCII.lowercased) == name }.map { $0 + 1 }
    }

    private static func daysIn(_ month: Int, of year: Int) -> Int {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        return month == 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
    }
}
