import RequestsTestSupport
import Testing

@testable import Requests

@Suite("The part of the representation in a response", .timeLimit(.minutes(5)))
struct RepresentationPartTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let status: Int
        let fields: [String]
        let isDecoded: Bool
        let method: HTTPMethod
        let expected: String

        init(
            _ status: Int,
            _ fields: [String],
            _ expected: String,
            isDecoded: Bool = false,
            _ method: HTTPMethod = .get
        ) {
            (self.status, self.fields, self.expected) = (status, fields, expected)
            (self.isDecoded, self.method) = (isDecoded, method)
        }

        var testDescription: String { "\(method) \(status) \(fields.joined(separator: "|"))" }
    }

    private func check(_ row: Row, _ target: RepresentationPart.Target) throws {
        let fields = row.fields.map { line in
            let parts = line.components(separatedBy: ": ")
            return Field(name: Field.Name(parts[0]), value: parts[1])
        }
        let url = try RequestURL("https://a.example/")
        let head = try ResponseHead(statusCode: row.status, header: Header(fields), url: url)
        let part =
            switch head.part(of: target, to: row.method, isDecoded: row.isDecoded) {
            case .whole(let length): "whole \(length.map(String.init) ?? "?")"
            case .part(let bytes, let total):
                "\(bytes.lowerBound)..<\(bytes.upperBound) of \(total.map(String.init) ?? "?")"
            case .unknown: "unknown"
            }
        #expect(part == row.expected)
    }

    @Test(
        "Without a requested range, Content-Range means nothing in a 200, and only a 206 with everything is the whole",
        arguments: [
            Row(200, ["Content-Length: 9"], "whole 9"), Row(200, [], "whole ?"),
            Row(200, ["Content-Range: bytes 3-8/9", "Content-Length: 9"], "whole 9"),
            Row(200, ["Content-Length: 9", "Transfer-Encoding: chunked"], "whole ?"),
            Row(200, ["Content-Length: 9"], "whole ?", isDecoded: true),
            Row(200, ["Content-Length: 9"], "whole 0", .head), Row(204, [], "whole 0"),
            Row(404, ["Content-Length: 2"], "whole 2"), Row(416, ["Content-Length: 2"], "whole 2"),
            Row(206, ["Content-Range: bytes 0-8/9"], "whole 9"),
            Row(206, ["Content-Range: bytes 0-8/9"], "whole ?", isDecoded: true),
            Row(206, ["Content-Range: bytes 0-8/9", "Content-Length: 9"], "whole 9"),
            Row(206, ["Content-Range: bytes 0-8/9", "Content-Length: 8"], "unknown"),
            Row(206, ["Content-Range: bytes 0-8/10"], "0..<9 of 10"),
            Row(206, ["Content-Range: bytes 0-8/*"], "0..<9 of ?"),
            Row(206, ["Content-Range: bytes 3-8/9"], "unknown", isDecoded: true),
            Row(206, [], "unknown"), Row(206, ["Content-Range: bytes */9"], "unknown"),
            Row(206, ["Content-Range: bytes 0-9/9"], "unknown"), Row(206, ["Content-Range: bytes 5-3/9"], "unknown"),
            Row(206, ["Content-Range: items 0-8/9"], "unknown"), Row(206, ["Content-Range: bytes 0-8"], "unknown"),
            Row(206, ["Content-Range: bytes 0-8/9", "Content-Range: bytes 0-7/8"], "unknown"),
            Row(206, ["Content-Range: bytes 0-8/9", "Content-Range: bytes 0-8/9"], "whole 9"),
            Row(206, ["Content-Range: bytes 0-9223372036854775807/*"], "unknown"),
            Row(206, ["Content-Range: bytes 0-8/9", "Content-Type: Multipart/ByteRanges; boundary=x"], "unknown"),
        ]
    )
    func whole(row: Row) throws { try check(row, .whole) }

    @Test(
        "A response to a range is a part, or the whole if nothing contradicts that",
        arguments: [
            Row(206, ["Content-Range: bytes 3-8/9"], "3..<9 of 9"),
            Row(206, ["Content-Range: bytes 3-8/*"], "3..<9 of ?"),
            Row(206, ["Content-Range: bytes 0-8/9"], "whole 9"), Row(200, ["Content-Length: 9"], "whole 9"),
            Row(200, ["Content-Range: bytes 3-8/9"], "3..<9 of 9"),
            Row(200, ["Content-Range: bytes 3-8/9", "Content-Length: 6"], "3..<9 of 9"),
            Row(200, ["Content-Range: bytes 3-8/9", "Content-Length: 9"], "unknown"),
            Row(203, ["Content-Range: bytes 3-8/9"], "3..<9 of 9"),
            Row(200, ["Content-Range: bytes 0-8/9", "Content-Length: 9"], "whole 9"),
            Row(200, ["Content-Range: bytes */9"], "unknown"), Row(200, ["Content-Range: bytes 3-9/9"], "unknown"),
            Row(200, ["Content-Range: bytes 3-8/9"], "unknown", isDecoded: true),
            Row(404, ["Content-Range: bytes 3-8/9", "Content-Length: 2"], "whole 2"),
            Row(416, ["Content-Range: bytes */9"], "9..<9 of 9"), Row(416, [], "unknown"),
            Row(416, ["Content-Range: bytes 3-8/9"], "unknown"),
        ]
    )
    func range(row: Row) throws { try check(row, .range(of: nil)) }

    @Test(
        "A version that is known keeps its length",
        arguments: [
            Row(200, ["ETag: \"a\"", "Content-Length: 9"], "whole 9"),
            Row(200, ["ETag: \"a\"", "Content-Length: 6"], "unknown"), Row(200, ["Content-Length: 6"], "unknown"),
            Row(200, ["ETag: \"b\"", "Content-Length: 6"], "whole 6"),
            Row(200, ["ETag: W/\"a\"", "Content-Length: 6"], "whole 6"),
            Row(200, ["ETag: \"a\""], "whole 9"), Row(200, [], "whole ?"), Row(200, ["ETag: \"b\""], "whole ?"),
            Row(200, ["ETag: \"a\"", "Content-Encoding: gzip"], "whole ?"),
            Row(200, ["ETag: \"a\""], "whole ?", isDecoded: true),
            Row(206, ["ETag: \"a\"", "Content-Range: bytes 3-5/9"], "3..<6 of 9"),
            Row(206, ["ETag: \"a\"", "Content-Range: bytes 3-5/6"], "unknown"),
            Row(206, ["ETag: \"b\"", "Content-Range: bytes 3-5/6"], "3..<6 of 6"),
            Row(206, ["ETag: \"a\"", "Content-Range: bytes 0-5/6"], "unknown"),
            Row(416, ["ETag: \"a\"", "Content-Range: bytes */6"], "unknown"),
        ]
    )
    func known(row: Row) throws { try check(row, .range(of: .init(validator: "\"a\"", length: 9))) }

    @Test(
        "The rest of a version begins where it was asked for, and names the version",
        arguments: [
            Row(206, ["ETag: \"a\"", "Content-Range: bytes 3-8/9"], "3..<9 of 9"),
            Row(206, ["ETag: \"a\"", "Content-Range: bytes 3-5/9"], "3..<6 of 9"),
            Row(200, ["ETag: \"a\"", "Content-Range: bytes 3-8/9"], "3..<9 of 9"),
            Row(206, ["ETag: \"a\"", "Content-Range: bytes 2-8/9"], "unknown"),
            Row(206, ["ETag: \"a\"", "Content-Range: bytes 4-8/9"], "unknown"),
            Row(206, ["Content-Range: bytes 3-8/9"], "unknown"),
            Row(206, ["ETag: \"b\"", "Content-Range: bytes 3-8/9"], "unknown"),
            Row(206, ["ETag: W/\"a\"", "Content-Range: bytes 3-8/9"], "unknown"),
            Row(200, ["Content-Length: 2"], "unknown"), Row(200, ["Content-Length: 3"], "whole 3"),
            Row(200, ["ETag: \"b\"", "Content-Length: 2"], "whole 2"),
            Row(200, ["ETag: \"a\"", "Content-Length: 2"], "unknown"),
            Row(206, ["ETag: \"b\"", "Content-Range: bytes 0-8/9"], "whole 9"),
            Row(416, ["Content-Range: bytes */3"], "3..<3 of 3"), Row(416, ["Content-Range: bytes */2"], "unknown"),
            Row(416, ["Content-Range: bytes */9"], "unknown"),
            Row(416, ["ETag: \"b\"", "Content-Range: bytes */3"], "unknown"),
            Row(500, [], "whole ?"),
        ]
    )
    func rest(row: Row) throws { try check(row, .rest(from: 3, of: .init(validator: "\"a\"", length: nil))) }

    @Test(
        "A part of a version with a date can omit the date",
        arguments: [
            Row(206, ["Content-Range: bytes 3-8/9"], "3..<9 of 9"),
            Row(206, ["Last-Modified: Thu, 01 Jan 2026 00:00:00 GMT", "Content-Range: bytes 3-8/9"], "3..<9 of 9"),
            Row(206, ["Last-Modified: Thu, 01 Jan 2026 00:00:01 GMT", "Content-Range: bytes 3-8/9"], "unknown"),
            Row(200, ["Last-Modified: Thu, 01 Jan 2026 00:00:00 GMT", "Content-Length: 6"], "unknown"),
        ]
    )
    func date(row: Row) throws {
        try check(row, .rest(from: 3, of: .init(validator: "Thu, 01 Jan 2026 00:00:00 GMT", length: 9)))
    }
}
