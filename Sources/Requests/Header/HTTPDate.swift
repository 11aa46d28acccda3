import Foundation

/// A date as the fields of HTTP have it, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
///
/// Specification: RFC 9110 §5.6.7.
enum HTTPDate {
    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// The date in whole seconds, rounded down. Years before 0 and after 9999 become these.
    static func text(of date: Date) -> String {
        let date = CivilDate(date)
        let day = "\(CivilDate.padded(date.day, to: 2)) \(months[date.month - 1]) \(CivilDate.padded(date.year, to: 4))"
        return "\(weekdays[date.weekday]), \(day) \(date.time) GMT"
    }
}
