import Foundation

/// How many more requests a server accepts, as it says in a response.
///
/// Reads `RateLimit` with `RateLimit-Policy`, and the older `RateLimit-Remaining`, `X-RateLimit-Remaining` and
/// `X-Rate-Limit-Remaining` with their `-Limit` and `-Reset`. If the server has several quotas, this is the one with
/// the fewest remaining requests.
///
/// Specification: draft-ietf-httpapi-ratelimit-headers-10; its versions 3 to 7 for the older forms.
public struct RateLimit: Hashable, Sendable {
    /// The number of requests that the server still accepts.
    public let remaining: Int

    /// The number of requests that it accepts in a window. `nil` if unknown.
    public let limit: Int?

    /// The time until the quota is renewed, counted from the response. `nil` if unknown.
    public let reset: Duration?

    /// The length of the window. `nil` if unknown.
    public let window: Duration?

    /// Reads the quota of a response.
    ///
    /// - Parameters:
    ///   - head: The head of the response.
    ///   - now: The current date, for servers that send the date of the reset but no `Date`. Default: unknown.
    /// - Returns: `nil` if the response doesn't contain a valid one.
    public init?(_ head: ResponseHead, now: Date? = nil) {
        if let quota = RateLimit.quota(in: head.header) {
            self = quota
        } else if let quota = RateLimit.separateFields(in: head.header, now: now) {
            self = quota
        } else {
            return nil
        }
    }

    private init(remaining: Int, limit: Int?, reset: Duration?, window: Duration?) {
        self.remaining = remaining
        self.limit = limit
        self.reset = reset
        self.window = window
    }
}

extension RateLimit {
    private typealias Parameters = StructuredField.Members<StructuredField.Value>

    /// Reads `RateLimit`, which was a dictionary in older drafts.
    private static func quota(in header: Header) -> RateLimit? {
        guard let text = header["RateLimit"] else { return nil }
        let policies = header["RateLimit-Policy"].flatMap { try? StructuredField.parseList($0) } ?? []
        if let quotas = try? StructuredField.parseList(text) {
            let found = quotas.compactMap { item in quota(item, policies.first { $0.value == item.value }) }
            if let fewest = found.min(by: { $0.remaining < $1.remaining }) { return fewest }
        }
        guard let members = try? StructuredField.parseDictionary(text),
            let remaining = members["remaining"]?.value.count
        else { return nil }
        return RateLimit(
            remaining: remaining,
            limit: members["limit"]?.value.count,
            reset: members["reset"]?.value.count.map(seconds),
            window: nil
        )
    }

    private static func quota(_ item: StructuredField.Item, _ policy: StructuredField.Item?) -> RateLimit? {
        guard let remaining = item.parameters["r"]?.count else { return nil }
        return RateLimit(
            remaining: remaining,
            limit: policy?.parameters["q"]?.count,
            reset: item.parameters["t"]?.count.map(seconds),
            window: policy?.parameters["w"]?.count.map(seconds)
        )
    }

    private static func separateFields(in header: Header, now: Date?) -> RateLimit? {
        for prefix in ["RateLimit-", "X-RateLimit-", "X-Rate-Limit-"] {
            // Some servers append their policies after a comma.
            func value(_ name: String) -> String? {
                header[Field.Name(prefix + name)]?.split(separator: ",").first.map { String($0) }
            }
            func count(_ name: String) -> Int? {
                value(name).flatMap(number).flatMap { Int(exactly: $0.rounded(.down)) }
            }
            guard let remaining = count("Remaining") else { continue }
            let now = header["Date"].flatMap { HTTPDate.parse($0) { now ?? .distantPast } } ?? now
            return RateLimit(
                remaining: remaining,
                limit: count("Limit"),
                reset: value("Reset").flatMap(number).flatMap { delay(of: $0, now: now) },
                window: nil
            )
        }
        return nil
    }

    /// Reads a number that isn't negative and small enough for a `Duration`.
    private static func number(_ text: String) -> Double? {
        guard let number = Double(text.trimmingCharacters(in: .whitespaces)), number >= 0, number < 1e15 else {
            return nil
        }
        return number
    }

    /// The time until a reset, which servers send as a delay or as seconds or milliseconds since 1970.
    private static func delay(of reset: Double, now: Date?) -> Duration? {
        // A delay of more than 30 years is a date.
        guard reset >= 1e9 else { return .seconds(reset) }
        let date = Date(timeIntervalSince1970: reset >= 1e12 ? reset / 1000 : reset)
        return now.map { .seconds(max(0, date.timeIntervalSince($0))) }
    }

    private static func seconds(_ count: Int) -> Duration { .seconds(count) }
}

extension StructuredField.Value {
    /// The value as a count. `nil` if it isn't a whole number that isn't negative.
    fileprivate var count: Int? {
        guard case .integer(let number) = self, number >= 0 else { return nil }
        return Int(exactly: number)
    }
}
