import Requests

extension PreparedRequest.Difference {
    /// Compares two messages line by line.
    init(from old: [PreparedRequest.Line], to new: [PreparedRequest.Line]) {
        var difference = LineDifference()
        difference.compare(old[...], new[...], anchors: true)
        changes = difference.changes
    }
}

/// The changes between two lists of lines, found in nearly linear time.
///
/// The standard library's Myers algorithm takes quadratic time for lists that have little in common. So long lists are
/// first split at lines that occur exactly once in both (patience diff).
private struct LineDifference {
    typealias Lines = ArraySlice<PreparedRequest.Line>

    /// The maximum number of lines for Myers' algorithm.
    private static let limit = 1000

    private(set) var changes: [PreparedRequest.Difference.Change] = []

    mutating func compare(_ old: Lines, _ new: Lines, anchors: Bool) {
        let start = zip(old, new).prefix { $0 == $1 }.count
        var (old, new) = (old.dropFirst(start), new.dropFirst(start))
        let end = zip(old.reversed(), new.reversed()).prefix { $0 == $1 }.count
        (old, new) = (old.dropLast(end), new.dropLast(end))
        if old.isEmpty || new.isEmpty {
            replace(old, new)
        } else if old.count + new.count <= LineDifference.limit {
            compareClosely(Array(old), Array(new))
        } else if anchors {
            var (oldStart, newStart) = (old.startIndex, new.startIndex)
            for (oldIndex, newIndex) in LineDifference.anchors(old, new) {
                compare(old[oldStart..<oldIndex], new[newStart..<newIndex], anchors: false)
                (oldStart, newStart) = (oldIndex + 1, newIndex + 1)
            }
            compare(old[oldStart...], new[newStart...], anchors: false)
        } else {
            replace(old, new)
        }
    }

    private mutating func replace(_ old: Lines, _ new: Lines) {
        changes += old.map { .removed($0.description) } + new.map { .added($0.description) }
    }

    private mutating func compareClosely(_ old: [PreparedRequest.Line], _ new: [PreparedRequest.Line]) {
        var (removed, added): (Set<Int>, Set<Int>) = ([], [])
        for change in new.difference(from: old) {
            switch change {
            case .remove(let offset, _, _): removed.insert(offset)
            case .insert(let offset, _, _): added.insert(offset)
            }
        }
        var (oldIndex, newIndex) = (0, 0)
        while oldIndex < old.count || newIndex < new.count {
            if removed.contains(oldIndex) {
                changes.append(.removed(old[oldIndex].description))
                oldIndex += 1
            } else if added.contains(newIndex) {
                changes.append(.added(new[newIndex].description))
                newIndex += 1
            } else {
                (oldIndex, newIndex) = (oldIndex + 1, newIndex + 1)
            }
        }
    }

    /// Returns the indexes of the longest sequence of lines that occur once in both lists and in the same order.
    private static func anchors(_ old: Lines, _ new: Lines) -> [(old: Int, new: Int)] {
        let (oldIndexes, newIndexes) = (uniqueIndexes(old), uniqueIndexes(new))
        let pairs = oldIndexes.compactMap { line, index in newIndexes[line].map { (old: index, new: $0) } }
            .sorted { $0.old < $1.old }
        // For each length, the sequence of that length whose last new index is smallest (patience sorting).
        var ends: [Int] = []
        var previous: [Int?] = Array(repeating: nil, count: pairs.count)
        for (index, pair) in pairs.enumerated() {
            var (low, high) = (0, ends.count)
            while low < high {
                let middle = (low + high) / 2
                if pairs[ends[middle]].new < pair.new { low = middle + 1 } else { high = middle }
            }
            previous[index] = low > 0 ? ends[low - 1] : nil
            if low == ends.count { ends.append(index) } else { ends[low] = index }
        }
        var anchors: [(old: Int, new: Int)] = []
        var next = ends.last
        while let index = next {
            anchors.append(pairs[index])
            next = previous[index]
        }
        return anchors.reversed()
    }

    private static func uniqueIndexes(_ lines: Lines) -> [PreparedRequest.Line: Int] {
        let indexes = Dictionary(zip(lines, lines.indices.map { Optional($0) })) { _, _ in nil }
        return indexes.compactMapValues(\.self)
    }
}
