/// The date format of HTTP header fields, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
///
/// Specification: RFC 9110 §5.6.7.
package enum HTTPDate {
    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    package static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// Formats a date, rounded down to whole seconds and clamped to the years 0…9999.
    package static func text(of date: Date) -> String {
        let date = CivilDate(date)
        let day = "\(CivilDate.padded(date.day, to: 2)) \(months[date.month - 1]) \(CivilDate.padded(date.year, to: 4))"
        return "\(weekdays[date.weekday]), \(day) \(date.time) GMT"
    }
}

extension HTTPDate {
    /// Parses the date of a header field, in one of the three formats of RFC 9110 §5.6.7, also with a leap second.
    ///
    /// - Parameter now: Returns the current date. A year of two digits that would be more than 50 years in the future
    ///   is in the past.
    package static func parse(_ text: String, now: () -> Date) -> Date? {
        guard let parts = Parts(text) else { return nil }
        guard parts.year < 100 else { return parts.date(in: parts.year, lastSecond: 60) }
        let now = now()
        let lastYear = CivilDate(now).year + 50
        let year = lastYear - (lastYear - parts.year) % 100
        let date = parts.date(in: year, lastSecond: 60)
        let fiftyYears = 50 * 365.2425 * 86_400
        if let date, date.timeIntervalSince(now) <= fiftyYears { return date }
        return parts.date(in: year - 100, lastSecond: 60)
    }

    /// Parses the date of a cookie.
    ///
    /// Specification: RFC 6265bis §5.1.1.
    static func parse(cookieDate text: String) -> Date? {
        guard let parts = Parts(text) else { return nil }
        let century = parts.year < 70 ? 2000 : parts.year < 100 ? 1900 : 0
        return parts.date(in: century + parts.year, lastSecond: 59)
    }
}

/// The parts of a date, found by the lenient algorithm for cookies, which also reads the formats of RFC 9110 §5.6.7.
private struct Parts {
    let time: (hour: Int, minute: Int, second: Int)
    let day: Int
    let month: Int
    let year: Int

    init?(_ text: String) {
        var time: (hour: Int, minute: Int, second: Int)?
        var day: Int?
        var month: Int?
        var year: Int?
        for token in text.utf8.split(whereSeparator: Parts.isDelimiter) {
            if time == nil, let found = Parts.parseTime(token) {
                time = found
            } else if day == nil, let found = Parts.number(token, digits: 1...2) {
                day = found
            } else if month == nil, let found = Parts.parseMonth(token) {
                month = found
            } else if year == nil, let found = Parts.number(token, digits: 2...4) {
                year = found
            }
        }
        guard let time, let day, let month, let year else { return nil }
        (self.time, self.day, self.month, self.year) = (time, day, month, year)
    }

    /// Returns the date. `nil` if a part is out of range.
    func date(in year: Int, lastSecond: Int) -> Date? {
        guard (1...31).contains(day), year >= 1601, time.hour <= 23, time.minute <= 59, time.second <= lastSecond,
            day <= Parts.daysIn(month, of: year)
        else { return nil }
        let days = Int64(CivilDate.daysSince1970(year, month, day))
        let secondOfDay = time.hour * 3600 + time.minute * 60 + time.second
        return Date(timeIntervalSince1970: Double(days * 86_400 + Int64(secondOfDay)))
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
        return HTTPDate.months.firstIndex { $0.utf8.map(ASCII.lowercased) == name }.map { $0 + 1 }
    }

    private static func daysIn(_ month: Int, of year: Int) -> Int {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        return month == 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
    }
}

/// A date and time in UTC, in the proleptic Gregorian calendar.
///
/// Foundation's calendars are slower, and Julian before 15 October 1582.
///
/// Specification: RFC 3339 §5.6.
package struct CivilDate {
    package let year: Int
    package let month: Int
    package let day: Int
    /// The day of the week: 0 for Sunday.
    let weekday: Int
    private let secondOfDay: Int

    /// Rounds the date down to whole seconds and clamps it to the years 0…9999.
    package init(_ date: Date) {
        let limits = -62_167_219_200.0...253_402_300_799.0
        let seconds = Int64(min(limits.upperBound, max(limits.lowerBound, date.timeIntervalSince1970.rounded(.down))))
        let (days, secondOfDay) = seconds.dividedFlooring(by: 86_400)
        let day = Int(clamping: days)
        (year, month, self.day) = CivilDate.civil(day)
        // 1970 began on a Thursday.
        weekday = (day + 4).dividedFlooring(by: 7).remainder
        self.secondOfDay = Int(clamping: secondOfDay)
    }

    /// The date and time, such as `1994-11-06T08:49:37Z`.
    package var timestamp: String {
        "\(CivilDate.padded(year, to: 4))-\(CivilDate.padded(month, to: 2))-\(CivilDate.padded(day, to: 2))T\(time)Z"
    }

    /// The time of day, such as `08:49:37`.
    package var time: String {
        let parts = [secondOfDay / 3600, secondOfDay / 60 % 60, secondOfDay % 60]
        return parts.map { CivilDate.padded($0, to: 2) }.joined(separator: ":")
    }

    package static func padded(_ number: Int, to width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }

    /// Converts days since 1970 to a date. Years start in March internally, so that the leap day is the last one.
    private static func civil(_ day: Int) -> (year: Int, month: Int, day: Int) {
        let (era, dayOfEra) = (day + 719_468).dividedFlooring(by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        return (era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1)
    }

    /// Converts a date to days since 1970.
    static func daysSince1970(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let (year, month) = month > 2 ? (year, month - 3) : (year - 1, month + 9)
        let leapDays = year / 4 - year / 100 + year / 400
        return year * 365 + leapDays + (month * 153 + 2) / 5 + day - 1 - 719_468
    }
}

extension FixedWidthInteger {
    /// Divides, rounding down. The remainder is never negative.
    fileprivate func dividedFlooring(by divisor: Self) -> (quotient: Self, remainder: Self) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
