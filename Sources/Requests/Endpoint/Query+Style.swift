import Foundation

extension Query {
    /// How an `Encodable` value becomes names and values.
    ///
    /// ```swift
    /// var style = Query.Style()
    /// style.arrays = .brackets
    /// style.keys = .snakeCase
    /// ```
    public struct Style: Sendable {
        /// What the elements of an array are called; ``Arrays/repeated`` by default.
        public var arrays = Arrays.repeated

        /// How truth is written; ``Booleans/words`` by default.
        public var booleans = Booleans.words

        /// How dates are written; ``Dates/iso8601`` by default.
        public var dates = Dates.iso8601

        /// What becomes of `nil`; ``Nils/dropped`` by default.
        public var nils = Nils.dropped

        /// What the keys of a type are called; ``Keys/asDeclared`` by default.
        public var keys = Keys.asDeclared

        /// What the members of an inner value are called; ``Nesting/brackets`` by default.
        public var nesting = Nesting.brackets

        /// In which order the items come; ``Order/declared`` by default.
        public var order = Order.declared

        /// Creates the style that most servers read.
        public init() {}
    }
}

extension Query.Style {
    /// What the elements of an array are called.
    public struct Arrays: Sendable {
        /// The name of an element, by the array's name and the position; `nil` where they share one item.
        let name: (@Sendable (_ array: String, _ index: Int) -> String)?

        /// `tag[]=a&tag[]=b`.
        public static let brackets = custom { array, _ in "\(array)[]" }
        /// `tag=a&tag=b`.
        public static let repeated = custom { array, _ in array }
        /// `tag[0]=a&tag[1]=b`.
        public static let indexed = custom { array, index in "\(array)[\(index)]" }
        /// `tag=a,b`. Arrays of anything but plain values cannot be encoded so.
        public static let commaSeparated = Arrays(name: nil)
        /// Names made of the array's name and an element's position, from 0.
        public static func custom(_ name: @escaping @Sendable (_ array: String, _ index: Int) -> String) -> Arrays {
            Arrays(name: name)
        }
    }

    /// How truth is written.
    public struct Booleans: Sendable {
        let text: @Sendable (Bool) -> String

        /// `true` and `false`.
        public static let words = custom { $0 ? "true" : "false" }
        /// `1` and `0`.
        public static let digits = custom { $0 ? "1" : "0" }
        /// Other words.
        public static func custom(_ text: @escaping @Sendable (Bool) -> String) -> Booleans { Booleans(text: text) }
    }

    /// How dates are written.
    public struct Dates: Sendable {
        let text: @Sendable (Date) -> String

        /// `1994-11-06T08:49:37Z`, in the Gregorian calendar; years before 0 and after 9999 become these.
        ///
        /// Specification: RFC 3339 §5.6.
        public static let iso8601 = custom { CivilDate($0).timestamp }
        /// Whole seconds since 1970, rounded down.
        public static let seconds = custom { String(format: "%.0f", $0.timeIntervalSince1970.rounded(.down)) }
        /// Whole milliseconds since 1970, rounded.
        public static let milliseconds = custom { String(format: "%.0f", ($0.timeIntervalSince1970 * 1000).rounded()) }
        /// Another way.
        public static func custom(_ text: @escaping @Sendable (Date) -> String) -> Dates { Dates(text: text) }
    }

    /// What becomes of `nil`.
    public enum Nils: Sendable {
        /// Nothing.
        case dropped
        /// `name=`.
        case empty
        /// `name`.
        case nameOnly
    }

    /// What the keys of a type are called.
    public struct Keys: Sendable {
        let name: @Sendable (String) -> String

        /// As in the type.
        public static let asDeclared = custom { $0 }
        /// `perPage` as `per_page`, `userID` as `user_id`.
        public static let snakeCase = custom { snakeCased($0) }
        /// Other names.
        public static func custom(_ name: @escaping @Sendable (String) -> String) -> Keys { Keys(name: name) }
    }

    /// What the members of an inner value are called.
    public struct Nesting: Sendable {
        let name: @Sendable (_ outer: String, _ key: String) -> String

        /// `user[name]`.
        public static let brackets = custom { "\($0)[\($1)]" }
        /// `user.name`.
        public static let dots = custom { "\($0).\($1)" }
        /// Names made of the outer name and the key.
        public static func custom(_ name: @escaping @Sendable (_ outer: String, _ key: String) -> String) -> Nesting {
            Nesting(name: name)
        }
    }

    /// In which order the items come.
    public enum Order: Sendable {
        /// As the value encodes itself.
        case declared
        /// By the bytes of their names; items of one name stay in order.
        case sorted
    }
}

extension Query.Style.Keys {
    /// A word starts at a capital after a small letter, and at the last of several capitals before a small letter.
    private static func snakeCased(_ key: String) -> String {
        let characters = Array(key)
        var text = ""
        for (index, character) in characters.enumerated() {
            let next = index + 1 < characters.count ? characters[index + 1] : nil
            if character.isUppercase, index > 0, characters[index - 1] != "_",
                !characters[index - 1].isUppercase || next?.isLowercase == true
            {
                text.append("_")
            }
            text += character.lowercased()
        }
        return text
    }
}
