import Requests

/// A difference between a sent request and a route or a recorded request.
struct Difference {
    /// A part of a request, from the most to the least important one for finding the closest match.
    enum Part: Int, CaseIterable {
        case path, origin, method, condition
    }

    let description: String
    var part = Part.condition
    /// The distance in this part. 1 is a whole segment, field or value; a typo is less.
    var weight = 1.0
}

extension Difference {
    /// A difference between the values that a request has and the expected ones.
    ///
    /// - Parameters:
    ///   - subject: The kind and the name of the values.
    ///   - sent: The values as shown. Empty if there are none.
    ///   - expected: The expected values as shown. Empty if there must be none. `nil` if a closure decides.
    ///   - isSecret: Whether no value is shown.
    init(_ subject: String, _ sent: [String], not expected: [String]?, isSecret: Bool, weight: Double = 1) {
        let (shown, other) = (sent.joined(separator: ", "), expected?.joined(separator: ", "))
        let reason =
            switch other {
            case _ where sent.isEmpty: "is missing"
            case nil: isSecret ? "has a value that the closure rejects" : "is \(shown), which the closure rejects"
            case _ where expected == []: "isn't expected"
            case _ where isSecret || shown == other: "differs"
            case .some(let other): "is \(shown), not \(other)"
            }
        self.init(description: "\(subject) \(reason)", weight: weight)
    }

    /// The first difference between bytes.
    init(_ subject: String, _ sent: Data, not expected: Data) {
        let same = zip(sent, expected).prefix { $0 == $1 }.count
        self.init(description: "\(subject) differs starting at byte \(same + 1)", weight: dissimilarity(sent, expected))
    }
}

extension [Difference] {
    /// The distance in each part: first that of the paths, then of the methods, then of everything else.
    private var distances: [Double] {
        Difference.Part.allCases.map { part in reduce(0) { $1.part == part ? $0 + $1.weight : $0 } }
    }

    func isCloser(than other: [Difference]) -> Bool { distances.lexicographicallyPrecedes(other.distances) }

    /// The descriptions of the first differences, and the number of the others.
    var summary: String {
        let limit = 8
        let shown = prefix(limit).map(\.description).joined(separator: ", and ")
        return count > limit ? "\(shown), and \(count - limit) more differences" : shown
    }
}

/// Returns how different two sequences are, from 0 for equal ones to 1 for sequences without a common start or end.
///
/// Takes linear time, unlike an edit distance.
func dissimilarity<Element: Equatable>(_ left: some Collection<Element>, _ right: some Collection<Element>) -> Double {
    let (left, right) = (Array(left), Array(right))
    let start = zip(left, right).prefix { $0 == $1 }.count
    let end = zip(left.dropFirst(start).reversed(), right.dropFirst(start).reversed()).prefix { $0 == $1 }.count
    let longest = max(left.count, right.count)
    return longest == 0 ? 0 : 1 - Double(start + end) / Double(longest)
}

extension [String?] {
    /// The values for a message.
    var quoted: [String] { map { Redaction.quoted($0 ?? "") } }

    /// The values in an order that depends only on them.
    var inOrder: [String?] { sorted { ($0 == nil ? 0 : 1, $0 ?? "") < ($1 == nil ? 0 : 1, $1 ?? "") } }
}
