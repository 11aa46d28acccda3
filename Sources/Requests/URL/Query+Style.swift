extension Query {
    /// How ``encoding(_:style:)`` turns a value into names and values.
    ///
    /// ```swift
    /// var style = Query.Style()
    /// style.arrays = .brackets
    /// style.keys = .snakeCase
    /// ```
    public struct Style: Sendable {
        /// How array elements are named. Default: ``Arrays/repeated``.
        public var arrays = Arrays.repeated

        /// How dates are written. Default: ``Dates/iso8601``.
        public var dates = Dates.iso8601

        /// How `nil` is written. Default: ``Nils/dropped``.
        public var nils = Nils.dropped

        /// How a type's keys are written. A dictionary's keys are data, so they don't change. Default:
        /// ``Keys/asDeclared``.
        public var keys = Keys.asDeclared

        /// Changes each item after the other settings were applied. `nil` leaves the item out. Default: no change.
        ///
        /// The path contains the keys and, for the elements of arrays, their indexes, which start at 0:
        ///
        /// ```swift
        /// style.transform = { item, path in
        ///     URLQueryItem(name: path.joined(separator: "."), value: item.value)
        /// }
        /// ```
        public var transform: (@Sendable (_ item: URLQueryItem, _ path: [String]) -> URLQueryItem?)?

        /// Creates the style that most servers read.
        public init() {}
    }
}

extension Query.Style {
    /// How array elements are named.
    public enum Arrays: Sendable {
        /// `tag=a&tag=b`.
        case repeated
        /// `tag[]=a&tag[]=b`, with the brackets sent as `%5B%5D`.
        case brackets
        /// `tag[0]=a&tag[1]=b`, with the brackets percent-encoded.
        case indexed
        /// `tag=a,b`, with the comma sent as `%2C`. Encoding throws if an element isn't a single value.
        case commaSeparated
        /// Returns the name of an element, or `nil` if all elements share one item.
        func name(ofElementAt index: Int, in array: String) -> String? {
            switch self {
            case .repeated: array
            case .brackets: "\(array)[]"
            case .indexed: "\(array)[\(index)]"
            case .commaSeparated: nil
            }
        }
    }

    /// How dates are written.
    public enum Dates: Sendable {
        /// `1994-11-06T08:49:37Z`, in the Gregorian calendar. Years are clamped to 0…9999.
        ///
        /// Specification: RFC 3339 §5.6.
        case iso8601
        /// Whole seconds since 1970, rounded down.
        case seconds
        /// Whole milliseconds since 1970, rounded to the nearest.
        case milliseconds

        func text(_ date: Date) -> String {
            switch self {
            case .iso8601: CivilDate(date).timestamp
            case .seconds: date.timeIntervalSince1970.rounded(.down).jsonText
            case .milliseconds: (date.timeIntervalSince1970 * 1000).rounded().jsonText
            }
        }
    }

    /// How `nil` is written.
    public enum Nils: Sendable {
        /// Leaves the item out.
        case dropped
        /// `name=`.
        case empty
        /// `name`.
        case nameOnly
    }

    /// How a type's keys are written.
    public enum Keys: Sendable {
        /// As declared in the type.
        case asDeclared
        /// `perPage` as `per_page`, `userID` as `user_id`.
        case snakeCase

        func name(_ key: String) -> String {
            switch self {
            case .asDeclared: key
            case .snakeCase: Keys.snakeCased(key)
            }
        }
    }
}

extension Query.Style.Keys {
    /// A word starts at an uppercase letter after a lowercase one, and at the last of several uppercase letters before
    /// a lowercase one.
    private static func snakeCased(_ key: String) -> String {
        let characters = Array(key)
        var words = ""
        for (index, character) in characters.enumerated() {
            let next = index + 1 < characters.count ? characters[index + 1] : nil
            if character.isUppercase, index > 0, characters[index - 1] != "_",
                !characters[index - 1].isUppercase || next?.isLowercase == true
            {
                words.append("_")
            }
            words += character.lowercased()
        }
        return words
    }
}
