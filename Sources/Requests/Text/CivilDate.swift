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
        let seconds = Int(min(limits.upperBound, max(limits.lowerBound, date.timeIntervalSince1970.rounded(.down))))
        let (day, secondOfDay) = seconds.dividedFlooring(by: 86_400)
        (year, month, self.day) = CivilDate.civil(day)
        // 1970 began on a Thursday.
        weekday = (day + 4).dividedFlooring(by: 7).remainder
        self.secondOfDay = secondOfDay
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

extension Int {
    /// Divides, rounding down. The remainder is never negative.
    fileprivate func dividedFlooring(by divisor: Int) -> (quotient: Int, remainder: Int) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
