/// A difference between a sent request and a route or a recorded request.
struct Difference {
    let description: String
    /// The weight in the search for the closest match. The path weighs more than the method.
    var weight = 1
}

extension [Difference] {
    var weight: Int { reduce(0) { $0 + $1.weight } }
    var summary: String { map(\.description).joined(separator: ", and ") }
}
