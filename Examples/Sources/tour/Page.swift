import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A printer for pages of 80 columns. On a terminal, titles are bold and labels are dim, which is readable on any
/// background.
struct Page {
    private let isStyled =
        isatty(STDOUT_FILENO) == 1 && ProcessInfo.processInfo.environment["NO_COLOR", default: ""].isEmpty
    private let width = 80

    func title(_ text: String) {
        print("\n\(styled(text, 1))\n")
    }

    func label(_ text: String) {
        print("  \(styled(text, 2))")
    }

    func text(_ text: String) {
        print(text)
    }

    func line(_ text: String) {
        print("    \(text)")
    }

    /// Prints a label with indented lines below it.
    func block(_ label: String, _ text: String) {
        self.label(label)
        let lines = text.trimmingCharacters(in: .newlines)
            .split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for line in lines { print(line.isEmpty ? "" : "    \(line)") }
        print()
    }

    /// Returns a `curl` command. If it doesn't fit into one line, each option and the URL get their own.
    func folded(_ command: String) -> String {
        guard command.count + 4 > width else { return command }
        return [" --", " 'http", " http"].reduce(command) { command, start in
            command.replacing(start, with: " \\\n \(start)")
        }
    }

    private func styled(_ text: String, _ style: Int) -> String {
        isStyled ? "\u{1B}[\(style)m\(text)\u{1B}[0m" : text
    }
}
