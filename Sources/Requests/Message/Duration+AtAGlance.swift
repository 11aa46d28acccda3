import Foundation

extension Duration {
    /// In seconds, milliseconds or microseconds, with two digits that count.
    var atAGlance: String {
        let milliseconds = self / .milliseconds(1)
        if 0 < milliseconds, milliseconds < 0.0995 { return "\(Duration.rounded(milliseconds * 1000)) µs" }
        if milliseconds < 999.5 { return "\(Duration.rounded(milliseconds)) ms" }
        return "\(Duration.rounded(milliseconds / 1000)) s"
    }

    private static func rounded(_ number: Double) -> String {
        let tenths = (number * 10).rounded()
        return tenths >= 100 || tenths.truncatingRemainder(dividingBy: 10) == 0
            ? String(format: "%.0f", number) : String(format: "%.1f", number)
    }
}
