import Foundation

/// A date as the fields of HTTP have it, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
///
/// Specification: RFC 9110 §5.6.7.
enum HTTPDate {
    private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// The date in whole seconds, rounded down. Years before 0 and after 9999 become these.
    static func text(of date: Date) -> String {
        let limits = -62_167_219_200.0...253_402_300_799.0
        let seconds = Int(min(max(date.timeIntervalSince1970.rounded(.down), limits.lowerBound), limits.upperBound))
        let (day, time) = seconds.dividedFlooring(by: 86_400)
        let (year, month, dayOfMonth) = civil(day)
        let weekday = weekdays[day.dividedFlooring(by: 7).remainder]
        let clock = [time / 3600, time / 60 % 60, time % 60].map { padded($0, to: 2) }.joined(separator: ":")
        return "\(weekday), \(padded(dayOfMonth, to: 2)) \(months[month - 1]) \(padded(year, to: 4)) \(clock) GMT"
    }

    private static func padded(_ number: Int, to width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }

    /// The Gregorian date of a day since 1970. Years are counted from March: February, with its leap day, ends one.
    private static func civil(_ day: Int) -> (year: Int, month: Int, day: Int) {
        let (era, dayOfEra) = (day + 719_468).dividedFlooring(by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        return (era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1)
    }
}

extension Int {
    /// Division that rounds down, with the remainder that is then never negative.
    fileprivate func dividedFlooring(by divisor: Int) -> (quotient: Int, remainder: Int) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
