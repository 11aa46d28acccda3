import Requests

extension HTTPCache.StoredResponse {
    /// How long the response may be used without asking the server, in seconds, and the rule that says so.
    ///
    /// Explicit information comes first. Malformed information makes the response stale.
    ///
    /// Specification: RFC 9111 §4.2.1, §4.2.2.
    var freshness: (lifetime: Double, reason: String) {
        if let seconds = control.seconds("max-age", malformed: -1) {
            return (Double(seconds), seconds < 0 ? "malformed max-age" : "max-age=\(seconds)")
        }
        if header.contains(.expires) {
            let end = header.single(.expires).flatMap { HTTPDate.parseStrictly($0, now: responseTime) }
            return end.map { ($0.timeIntervalSince(date), "Expires") } ?? (0, "malformed Expires")
        }
        guard Self.heuristicStatuses.contains(statusCode) || control.contains("public"), let modified = lastModified
        else { return (0, "no lifetime") }
        let week: Double = 7 * 86400
        return (min(date.timeIntervalSince(modified) / 10, week), "Last-Modified")
    }

    /// The statuses whose responses may be stored without explicit information (RFC 9110 §15.1).
    static let heuristicStatuses: Set<Int> = [200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501]

    /// The age in seconds.
    ///
    /// Specification: RFC 9111 §4.2.3, and §5.1 for an `Age` that is a list or no number.
    func age(at now: Date) -> Double {
        let first = header.first { $0.name == .age }?.value.prefix { $0 != "," }
        let stated = CacheControl.seconds(first?.trimmingFieldWhitespace()) ?? 0
        let delay = max(0, responseTime.timeIntervalSince(requestTime))
        let apparentAge = max(0, responseTime.timeIntervalSince(date))
        let age = max(apparentAge, Double(stated) + delay) + now.timeIntervalSince(responseTime)
        // Larger ages become 2³¹ (RFC 9111 §1.2.2). If the clock went back, the age isn't known.
        return age < 0x8000_0000 && now >= responseTime ? age : 0x8000_0000
    }
}

extension HTTPDate {
    /// Parses a date that must have one of the three formats of RFC 9110 §5.6.7, in any case (RFC 9111 §4.2).
    ///
    /// - Parameter now: The current date, for years of two digits.
    static func parseStrictly(_ text: String, now: Date) -> Date? {
        guard let date = parse(text, now: { now }) else { return nil }
        let parts = CivilDate(date)
        let (month, year) = (months[parts.month - 1], CivilDate.padded(parts.year, to: 4))
        let day = CivilDate.padded(parts.day, to: 2)
        // The name of the day isn't compared, because it adds nothing.
        let rest = text.drop { !", ".contains($0) }
        let weekday = String(text[..<rest.startIndex])
        let isShort = weekday.utf8.count == 3
        let isWeekday = weekdays.contains { ASCII.equalsIgnoringCase(isShort ? String($0.prefix(3)) : $0, weekday) }
        let asctimeDay = parts.day < 10 ? " \(parts.day)" : day
        let formats =
            isShort
            ? [", \(day) \(month) \(year) \(parts.time) GMT", " \(month) \(asctimeDay) \(parts.time) \(year)"]
            : [", \(day)-\(month)-\(year.suffix(2)) \(parts.time) GMT"]
        return isWeekday && formats.contains { ASCII.equalsIgnoringCase($0, String(rest)) } ? date : nil
    }

    private static let weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
}
