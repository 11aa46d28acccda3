import Foundation
import Requests

/// An environment of a call in which nothing changes by itself.
package struct FixedEnvironment: CallEnvironment {
    package var elapsed: Duration
    package var date: Date
    private let randomNumber: Double
    /// The stored `Cookie` fields by origin.
    package var cookies: [String: String] = [:]
    /// The number of retries that the budget allows. `nil` for any number.
    package var budget: Int?
    /// How often the budget was asked.
    package var claims = 0

    package init(elapsed: Duration = .zero, date: Date = Date(timeIntervalSince1970: 0), random: Double = 0.5) {
        (self.elapsed, self.date, randomNumber) = (elapsed, date, random)
    }

    package mutating func random() -> Double { randomNumber }

    package mutating func cookies(for url: RequestURL) -> String? { cookies["\(url.origin)"] }

    package mutating func keepCookies(_ header: Header, from url: RequestURL) {
        for value in header[values: .setCookie] { cookies["\(url.origin)"] = value }
    }

    package mutating func claimRetry() -> Bool {
        claims += 1
        return budget.map { claims <= $0 } ?? true
    }

    package mutating func token() -> String { "token" }
}
