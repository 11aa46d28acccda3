/// A string as a test argument, of any length and with any characters.
///
/// Swift Testing prints each argument of a test. This one prints as a short line: the start of the string, with control
/// characters escaped, and its length.
package struct SampleText: Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }

    package init(stringLiteral text: String) {
        self.init(text)
    }

    package var description: String {
        let start = String(String.UnicodeScalarView(text.unicodeScalars.prefix(60))).debugDescription
        let count = text.unicodeScalars.count
        return count <= 60 && start.count <= 90 ? start : "\(start.prefix(60))… (\(count) characters)"
    }
}
