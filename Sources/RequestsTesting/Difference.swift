/// Something that sets a request apart from what a stub or a cassette answers.
struct Difference {
    let words: String
    /// How much it counts when the nearest answer is looked for; a path that fits tells more than a method.
    var weight = 1
}

extension [Difference] {
    var weight: Int { reduce(0) { $0 + $1.weight } }
    var words: String { map(\.words).joined(separator: ", and ") }
}
