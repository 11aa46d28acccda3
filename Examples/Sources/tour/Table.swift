/// Text in columns.
struct Table {
    let rows: [[String]]

    init(_ head: [String], _ body: [[String]]) {
        rows = [head] + body
    }

    func print() {
        let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        for (number, row) in rows.enumerated() {
            let cells = zip(row, widths.dropLast()).map { $0.padding(toLength: $1) } + [row[row.count - 1]]
            Swift.print(cells.joined(separator: "  "))
            if number == 0 { Swift.print(widths.map { String(repeating: "─", count: $0) }.joined(separator: "  ")) }
        }
    }
}

extension String {
    fileprivate func padding(toLength length: Int) -> String {
        self + String(repeating: " ", count: max(0, length - count))
    }
}
