import Foundation

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

        /// How Booleans are written. Default: ``Booleans/words``.
        public var booleans = Booleans.words

        /// How dates are written. Default: ``Dates/iso8601``.
        public var dates = Dates.iso8601

        /// How `nil` is written. Default: ``Nils/dropped``.
        public var nils = Nils.dropped

        /// How a type's keys are written. Default: ``Keys/asDeclared``.
        public var keys = Keys.asDeclared

        /// How the members of a nested value are named. Default: ``Nesting/brackets``.
        public var nesting = Nesting.brackets

        /// Whether the items are sorted by name, in byte order. Items with the same name keep their order. Default:
        /// `false`, for the order in which the value encodes its members.
        public var isSorted = false

        /// Creates the style that most servers read.
        public init() {}
    }
}

extension Query.Style {
    /// How array elements are named.
    public enum Arrays: Sendable {
        /// `tag=a&tag=b`.
        case repeated
        /// `tag[]=a&tag[]=b`.
        case brackets
        /// `tag[0]=a&tag[1]=b`.
        case indexed
        /// `tag=a,b`. Encoding throws if an element isn't a single value.
        case commaSeparated
        /// A name derived from the array's name and the element's index, which starts at 0.
        case custom(@Sendable (_ array: String, _ index: Int) -> String)

        /// Returns the name of an element, or `nil` if all elements share one item.
        func name(ofElementAt index: Int, in array: String) -> String? {
            switch self {
            case .repeated: array
            case .brackets: "\(array)[]"
            case .indexed: "\(array)[\(index)]"
            case .commaSeparated: nil
            case .custom(let name): name(array, index)
            }
        }
    }

    /// How Booleans are written.
    public enum Booleans: Sendable {
        /// `true` and `false`.
        case words
        /// `1` and `0`.
        case digits
        /// The strings that a closure returns.
        case custom(@Sendable (Bool) -> String)

        func text(_ value: Bool) -> String {
            switch self {
            case .words: value ? "true" : "false"
            case .digits: value ? "1" : "0"
            case .custom(let text): text(value)
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
        /// The strings that a closure returns.
        case custom(@Sendable (Date) -> String)

        func text(_ date: Date) -> String {
            switch self {
            case .iso8601: CivilDate(date).timestamp
            case .seconds: String(format: "%.0f", date.timeIntervalSince1970.rounded(.down))
            case .milliseconds: String(format: "%.0f", (date.timeIntervalSince1970 * 1000).rounded())
            case .custom(let text): text(date)
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
        /// The names that a closure returns.
        case custom(@Sendable (String) -> String)

        func name(_ key: String) -> String {
            switch self {
            case .asDeclared: key
            case .snakeCase: Keys.snakeCased(key)
            case .custom(let name): name(key)
            }
        }
    }

    /// How the members of a nested value are named.
    public enum Nesting: Sendable {
        /// `user[name]`.
        case brackets
        /// `user.name`.
        case dots
        /// A name derived from the outer name and the key.
        case custom(@Sendable (_ outer: String, _ key: String) -> String)

        func name(of key: String, in outer: String) -> String {
            switch self {
            case .brackets: "\(outer)[\(key)]"
            case .dots: "\(outer).\(key)"
            case .custom(let name): name(outer, key)
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
