// The declarations that the parsers use, as far as they do, because Embedded Swift has no Foundation.

package struct Date: Comparable {
    package var timeIntervalSince1970: Double

    package init(timeIntervalSince1970: Double) { self.timeIntervalSince1970 = timeIntervalSince1970 }

    package func timeIntervalSince(_ other: Date) -> Double { timeIntervalSince1970 - other.timeIntervalSince1970 }

    package static func < (lhs: Date, rhs: Date) -> Bool { lhs.timeIntervalSince1970 < rhs.timeIntervalSince1970 }
}

package struct Data {
    package init(_ bytes: some Sequence<UInt8>) {}

    package func base64EncodedString() -> String { "" }
}

package struct Field {
    package struct Name: Hashable, ExpressibleByStringLiteral {
        let text: String

        package init(_ text: String) { self.text = text }
        package init(stringLiteral text: String) { self.text = text }

        static let cacheControl: Name = "Cache-Control"
        static let range: Name = "Range"
    }

    package let name: Name
    package let value: String
}

package typealias Header = [Field]

extension [Field] {
    subscript(name: Field.Name) -> String? { first { $0.name == name }?.value }
}
