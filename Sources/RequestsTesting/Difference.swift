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
