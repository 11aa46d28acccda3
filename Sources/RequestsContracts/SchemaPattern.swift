/// A regular expression of a schema, matched in time that is linear in the length of the text.
struct SchemaPattern {
    enum Instruction {
        case scalar([ClosedRange<UInt32>])
        /// Continues both at the next instruction and at the one this many places further.
        case split(Int)
        case jump(Int)
        case start
        case end
    }

    private let program: [Instruction]

    /// Compiles a pattern. Returns `nil` if it is invalid, too large, or uses an unsupported feature: lookaround,
    /// backreferences, word boundaries, named groups or Unicode properties.
    init?(_ pattern: String) {
        var parser = SchemaPatternParser(rest: pattern[...].unicodeScalars)
        guard let program = try? parser.parse() else { return nil }
        self.program = program
    }

    /// Returns whether the pattern matches anywhere in the text.
    func matches(_ text: String) -> Bool {
        let scalars = Array(text.unicodeScalars)
        var waiting: [Int] = []
        for position in 0...scalars.count {
            var seen = [Bool](repeating: false, count: program.count)
            // Adds a thread at each position, because a match can start anywhere.
            var pending = waiting + [0]
            waiting = []
            while let index = pending.popLast() {
                guard index < program.count else { return true }
                if seen[index] { continue }
                seen[index] = true
                switch program[index] {
                case .jump(let distance): pending.append(index + distance)
                case .split(let distance): pending += [index + 1, index + distance]
                case .start: if position == 0 { pending.append(index + 1) }
                case .end: if position == scalars.count { pending.append(index + 1) }
                case .scalar(let ranges):
                    let scalar = position < scalars.count ? scalars[position].value : .max
                    if ranges.contains(where: { $0.contains(scalar) }) { waiting.append(index + 1) }
                }
            }
        }
        return false
    }
}

/// A parser for ECMA-262 patterns. Its instructions have relative distances, so they can be repeated.
private struct SchemaPatternParser {
    typealias Program = [SchemaPattern.Instruction]
    typealias Ranges = [ClosedRange<UInt32>]

    private struct Unsupported: Error {}

    private static let maximumSize = 5_000
    private static let maximumDepth = 50
    private static let lineEnds: Ranges = [0x0A...0x0A, 0x0D...0x0D, 0x2028...0x2029]
    private static let classes: [Unicode.Scalar: Ranges] = {
        let digits: Ranges = [0x30...0x39]
        let word: Ranges = [0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A]
        let space: Ranges = [
            0x09...0x0D, 0x20...0x20, 0xA0...0xA0, 0x1680...0x1680, 0x2000...0x200A, 0x2028...0x2029, 0x202F...0x202F,
            0x205F...0x205F, 0x3000...0x3000, 0xFEFF...0xFEFF,
        ]
        return [
            "d": digits, "D": inverted(digits), "w": word, "W": inverted(word), "s": space, "S": inverted(space),
            "t": [0x09...0x09], "n": [0x0A...0x0A], "v": [0x0B...0x0B], "f": [0x0C...0x0C], "r": [0x0D...0x0D],
        ]
    }()

    var rest: Substring.UnicodeScalarView

    mutating func parse() throws -> Program {
        let program = try choice(depth: 0)
        guard rest.isEmpty else { throw Unsupported() }
        return program
    }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard rest.first == scalar else { return false }
        rest.removeFirst()
        return true
    }

    private mutating func next() throws -> Unicode.Scalar {
        guard let scalar = rest.popFirst() else { throw Unsupported() }
        return scalar
    }

    private mutating func choice(depth: Int) throws -> Program {
        guard depth <= SchemaPatternParser.maximumDepth else { throw Unsupported() }
        var choices: [Program] = []
        var size = 0
        repeat {
            var program: Program = []
            while let scalar = rest.first, scalar != "|", scalar != ")" {
                program += try quantified(atom(depth: depth))
                guard program.count <= SchemaPatternParser.maximumSize else { throw Unsupported() }
            }
            choices.append(program)
            size += program.count + 2
            guard size <= SchemaPatternParser.maximumSize else { throw Unsupported() }
        } while take("|")
        let last = choices.removeLast()
        return choices.reversed().reduce(last) { others, program in
            [.split(program.count + 2)] + program + [.jump(others.count + 1)] + others
        }
    }

    private mutating func atom(depth: Int) throws -> Program {
        let scalar = try next()
        switch scalar {
        case "^": return [.start]
        case "$": return [.end]
        case ".": return [.scalar(SchemaPatternParser.inverted(SchemaPatternParser.lineEnds))]
        case "[": return [.scalar(try characterClass())]
        case "\\": return [.scalar(try escape())]
        case "(":
            if take("?"), !take(":") { throw Unsupported() }
            let program = try choice(depth: depth + 1)
            guard take(")") else { throw Unsupported() }
            return program
        case "*", "+", "?": throw Unsupported()
        default: return [.scalar([scalar.value...scalar.value])]
        }
    }

    private mutating func quantified(_ program: Program) throws -> Program {
        guard let (minimum, maximum) = counts() else { return program }
        // A lazy quantifier doesn't change whether there is a match.
        _ = take("?")
        let (count, limit) = (program.count, SchemaPatternParser.maximumSize)
        guard minimum <= maximum ?? limit, max(minimum, maximum ?? 0) <= limit / (count + 1) else {
            throw Unsupported()
        }
        let required = Array(repeatElement(program, count: minimum).joined())
        guard let maximum else { return required + [.split(count + 2)] + program + [.jump(-count - 1)] }
        return required + repeatElement([.split(count + 1)] + program, count: maximum - minimum).joined()
    }

    /// Parses `*`, `+`, `?`, `{2}`, `{2,}` or `{2,3}`. Any other brace is a literal character.
    private mutating func counts() -> (Int, Int?)? {
        if take("*") { return (0, nil) }
        if take("+") { return (1, nil) }
        if take("?") { return (0, 1) }
        let start = rest
        if take("{"), let minimum = number() {
            let maximum = take(",") ? number() : minimum
            if take("}") { return (minimum, maximum) }
        }
        rest = start
        return nil
    }

    private mutating func number() -> Int? {
        let digits = rest.prefix { (0x30...0x39).contains($0.value) }
        rest = rest.dropFirst(digits.count)
        return digits.isEmpty ? nil : Int(String(digits)) ?? .max
    }

    private mutating func characterClass() throws -> Ranges {
        let isNegated = take("^")
        var ranges: Ranges = []
        while !take("]") {
            let member = try member()
            guard rest.first == "-", rest.dropFirst().first != "]", let low = SchemaPatternParser.only(member) else {
                ranges += member
                continue
            }
            rest.removeFirst()
            guard let high = SchemaPatternParser.only(try self.member()), low <= high else { throw Unsupported() }
            ranges.append(low...high)
        }
        return isNegated ? SchemaPatternParser.inverted(ranges) : ranges
    }

    private mutating func member() throws -> Ranges {
        let scalar = try next()
        return scalar == "\\" ? try escape() : [scalar.value...scalar.value]
    }

    private mutating func escape() throws -> Ranges {
        let scalar = try next()
        if let ranges = SchemaPatternParser.classes[scalar] { return ranges }
        if let length = ["x": 2, "u": 4][scalar] {
            let digits = rest.prefix(length)
            rest = rest.dropFirst(length)
            guard digits.count == length, digits.allSatisfy(\.properties.isASCIIHexDigit),
                let value = UInt32(String(digits), radix: 16), Unicode.Scalar(value) != nil
            else { throw Unsupported() }
            return [value...value]
        }
        // Any other escaped letter or digit is an unsupported feature.
        guard !scalar.properties.isAlphabetic, scalar.properties.numericType == nil else { throw Unsupported() }
        return [scalar.value...scalar.value]
    }

    private static func only(_ ranges: Ranges) -> UInt32? {
        guard ranges.count == 1, ranges[0].count == 1 else { return nil }
        return ranges[0].lowerBound
    }

    private static func inverted(_ ranges: Ranges) -> Ranges {
        var next: UInt32 = 0
        var gaps: Ranges = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if next < range.lowerBound { gaps.append(next...range.lowerBound - 1) }
            next = max(next, range.upperBound + 1)
        }
        return next <= 0x10_FFFF ? gaps + [next...0x10_FFFF] : gaps
    }
}
