import RequestsTestSupport
import Testing

@testable import Requests

@Suite("The parts of a download", .timeLimit(.minutes(5)))
struct DownloadResumptionTests {
    private static let tag = Field(name: .eTag, value: "\"1\"")
    private static let otherTag = Field(name: .eTag, value: "\"2\"")
    private static let date = Field(name: .lastModified, value: "Thu, 01 Jan 2026 00:00:00 GMT")
    private static func range(_ value: String) -> Field { Field(name: "Content-Range", value: value) }
    private static func encoding(_ value: String) -> Field { Field(name: .contentEncoding, value: value) }
    private static func length(_ value: Int) -> Field { Field(name: .contentLength, value: "\(value)") }

    private func head(_ status: Int, _ header: Header) throws -> ResponseHead {
        try ResponseHead(statusCode: status, header: header, url: RequestURL("https://a.example/"))
    }

    private func verdict(
        _ file: inout DownloadResumption,
        _ status: Int,
        _ header: Header,
        isDecoded: Bool = false,
        isAccepted: Bool = true
    ) throws -> String {
        switch file.judge(
            try head(status, header),
            to: .get,
            isDecoded: isDecoded,
            isAccepted: isAccepted,
            now: { Date(timeIntervalSince1970: 1_767_225_600) }
        ) {
        case .receive: "receive"
        case .refuse: "refuse"
        case .restart(let canResume, _): canResume ? "restart" : "restart without resume"
        case .fault: "fault"
        }
    }

    @Test(
        "The response to a request for the rest continues the file, or the file starts again",
        arguments: [
            (206, [range("bytes 3-8/9"), tag], "receive"), (206, [range("bytes 3-8/*"), tag], "receive"),
            (206, [range("bytes 3-8/9")], "restart"), (206, [range("bytes 3-8/9"), otherTag], "restart"),
            (206, [range("bytes 2-8/9"), tag], "restart"), (206, [range("bytes 3-9/10"), tag], "restart"),
            (206, [tag], "restart"), (206, [range("bytes */9"), tag], "restart"),
            (206, [range("bytes 3-8/9"), tag, encoding("gzip")], "restart"),
            (416, [range("bytes */3")], "restart"), (416, [range("bytes */9")], "restart"), (416, [], "restart"),
            (200, [otherTag], "receive"), (200, [encoding("gzip")], "restart without resume"),
            (200, [encoding("identity")], "receive"), (200, [encoding("")], "receive"),
        ] as [(Int, [Field], String)]
    )
    func rest(status: Int, header: [Field], expected: String) throws {
        var file = DownloadResumption(count: 3, validator: "\"1\"", total: 9)
        #expect(try verdict(&file, status, Header(header)) == expected)
    }

    @Test(
        "416 completes a file if its size is the one of the file and no response told another one",
        arguments: [
            (nil, [range("bytes */3")], "receive"), (3, [range("bytes */3"), tag], "receive"),
            (9, [range("bytes */3")], "restart"), (nil, [range("bytes */4")], "restart"),
            (nil, [range("bytes */3"), otherTag], "restart"), (nil, [], "restart"),
        ] as [(Int64?, [Field], String)]
    )
    func complete(total: Int64?, header: [Field], expected: String) throws {
        var file = DownloadResumption(count: 3, validator: "\"1\"", total: total)
        #expect(try verdict(&file, 416, Header(header)) == expected)
        if expected == "receive" { #expect(file.part == .nothing) }
    }

    @Test("A part that the transport decoded starts the file again, and a decoded whole isn't continued")
    func decoded() throws {
        var file = DownloadResumption(count: 3, validator: "\"1\"")
        #expect(try verdict(&file, 206, [Self.range("bytes 3-8/9"), Self.tag], isDecoded: true) == "restart")
        let header: Header = [
            Self.encoding("gzip"), Self.date, Field(name: "Date", value: "Thu, 01 Jan 2026 00:00:09 GMT"),
            Self.length(5),
        ]
        #expect(try verdict(&file, 200, header, isDecoded: true) == "receive")
        #expect(file.validator == nil)
        #expect(file.total == nil)
        #expect(try verdict(&file, 200, [Self.tag, Self.length(5)], isDecoded: true) == "receive")
        #expect(file.validator == nil)
    }

    @Test("A response that isn't accepted leaves the file as it is")
    func refused() throws {
        var file = DownloadResumption(count: 3, validator: "\"1\"", total: 9)
        let before = file
        #expect(try verdict(&file, 206, [Self.range("bytes 3-8/9"), Self.tag], isAccepted: false) == "refuse")
        #expect(try verdict(&file, 404, [], isAccepted: false) == "refuse")
        #expect(file == before)
    }

    @Test("A new file takes its validator and size from the response, and a 206 is a fault")
    func new() throws {
        var file = DownloadResumption(count: 3, total: 9)
        #expect(try verdict(&file, 206, [Self.range("bytes 3-8/9"), Self.tag]) == "fault")
        #expect(try verdict(&file, 200, [Self.tag, Self.length(5)]) == "receive")
        #expect(file == DownloadResumption(validator: "\"1\"", total: 5))
        file.append(2)
        #expect(try verdict(&file, 206, [Self.range("bytes 2-4/5"), Self.tag]) == "receive")
        #expect(file.part == .rest(upTo: 5))
        #expect(try verdict(&file, 200, [Self.otherTag]) == "receive")
        #expect(file.count == 0)
        #expect(file.part == .whole)
        var single = DownloadResumption(canResume: false)
        #expect(try verdict(&single, 200, [Self.tag, Self.encoding("gzip")]) == "receive")
        #expect(single.validator == nil)
        #expect(try verdict(&single, 200, [Self.tag]) == "receive")
        #expect(single.validator == nil)
    }

    @Test(
        "A validator is a strong entity tag, or a date that is a second old",
        arguments: [
            ([tag], "\"1\""), ([Field(name: .eTag, value: "W/\"1\"")], nil), ([date], nil),
            ([date, Field(name: "Date", value: "Thu, 01 Jan 2026 00:00:01 GMT")], date.value),
            ([date, Field(name: "Date", value: "Thu, 01 Jan 2026 00:00:00 GMT")], nil),
            ([date, Field(name: "Date", value: "Wed, 31 Dec 2025 23:59:59 GMT")], nil),
            ([date, Field(name: "Date", value: "soon")], nil),
            (
                [
                    date, Field(name: .eTag, value: "W/\"1\""),
                    Field(name: "Date", value: "Thu, 01 Jan 2026 00:00:00 GMT"),
                ], nil
            ),
            ([tag, encoding("identity")], nil),
            ([tag, encoding("identity, , identity")], nil),
        ] as [([Field], String?)]
    )
    func validator(header: [Field], expected: String?) throws {
        var file = DownloadResumption()
        #expect(try verdict(&file, 200, Header(header)) == "receive")
        #expect(file.validator == expected)
    }

    @Test("A part of a version with a date can omit the date")
    func partWithoutDate() throws {
        var file = DownloadResumption(count: 3, validator: Self.date.value)
        #expect(try verdict(&file, 206, [Self.range("bytes 3-8/9")]) == "receive")
        #expect(file.total == 9)
        #expect(try verdict(&file, 206, [Self.range("bytes 3-8/*"), Self.date]) == "receive")
        #expect(file.total == 9)
    }

    @Test("Only a continued file asks for a range, and its 206 counts as 200 for validation")
    func requests() throws {
        for (file, isContinued) in [
            (DownloadResumption(count: 3, validator: "\"1\""), true), (.init(validator: "\"1\""), false),
            (.init(count: 3), false),
        ] {
            var request = try PreparedRequest.test()
            file.prepare(&request)
            #expect(request.header[.acceptEncoding] == "identity")
            #expect(request.header[.range] == (isContinued ? "bytes=3-" : nil))
            #expect(request.header[.ifRange] == (isContinued ? "\"1\"" : nil))
            #expect(file.whole(try head(206, [])).statusCode == (isContinued ? 200 : 206))
            #expect(file.whole(try head(404, [])).statusCode == 404)
        }
        var request = try PreparedRequest.test()
        DownloadResumption(canResume: false).prepare(&request)
        #expect(request.header.isEmpty)
    }

    private func progress(_ file: inout DownloadResumption, part: Range<Int64>, of total: Int64?, _ bytes: Int64)
        throws -> String
    {
        let range = "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(total.map { "\($0)" } ?? "*")"
        #expect(try verdict(&file, 206, [Self.range(range), Self.tag]) == "receive")
        switch file.finish(bytes) {
        case .complete: return "complete"
        case .part(let isSmall): return isSmall ? "small" : "part"
        case .fault: return "fault"
        }
    }

    @Test("A file is complete with its last byte, and every small part but the first counts")
    func progress() throws {
        var file = DownloadResumption(count: 3, validator: "\"1\"")
        #expect(try progress(&file, part: 3..<4, of: nil, 1) == "part")
        #expect(try progress(&file, part: 4..<70_000, of: nil, 69_996) == "part")
        #expect(try progress(&file, part: 70_000..<70_001, of: nil, 1) == "small")
        #expect(try progress(&file, part: 70_001..<140_000, of: 140_001, 69_999) == "part")
        #expect(try progress(&file, part: 140_000..<140_001, of: 140_001, 1) == "complete")
        var large = DownloadResumption(count: 3, validator: "\"1\"")
        #expect(try progress(&large, part: 3..<70_000, of: nil, 69_997) == "part")
        #expect(try progress(&large, part: 70_000..<70_001, of: nil, 1) == "part")
        var broken = DownloadResumption(count: 3, validator: "\"1\"")
        #expect(try progress(&broken, part: 3..<9, of: 9, 5) == "fault")
    }

    @Test("A file that starts again is empty")
    func restart() {
        var file = DownloadResumption(count: 3, validator: "\"1\"", total: 9)
        file.restart(canResume: true)
        #expect(file == DownloadResumption())
    }
}
