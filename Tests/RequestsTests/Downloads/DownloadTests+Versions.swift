import Foundation
import Requests
import RequestsTesting
import Testing

/// Partial files of another or an unknown version.
extension DownloadTests {
    @Test("A download restarts if the server has another version")
    func changed() async throws {
        let client = client { [version] request in
            request.header.contains("Range") ? (200, [], ["new"]) : (200, version, ["abcdef", ""])
        }
        await #expect(throws: TransportError.self) { try await download(client) }
        try await download(client)
        #expect(try content() == "new")
        #expect(try names == ["file"])
    }

    @Test(
        "A version without a strong validator isn't continued",
        arguments: [
            ([], nil), ([Field(name: "ETag", value: "W/\"v1\"")], nil),
            ([Field(name: "ETag", value: "W/\"v1\""), Field(name: "Last-Modified", value: "d")], nil),
            (dated(), nil), (dated("Sun, 06 Nov 1994 08:49:37 GMT"), nil),
            (dated("Sun, 06 Nov 1994 08:49:36 GMT"), nil),
            (dated("soon"), nil), (dated("Sun, 06 Nov 1994 08:49:38 GMT"), "Sun, 06 Nov 1994 08:49:37 GMT"),
        ] as [(Header, String?)]
    )
    func validators(header: Header, expected: String?) async throws {
        let client = client { [sent] _ in sent.count == 1 ? (200, header, ["abc", ""]) : (200, [], ["x"]) }
        await #expect(throws: TransportError.self) { try await download(client) }
        try await download(client)
        #expect(sent.recorded.last?.header["If-Range"] == expected)
        #expect(sent.recorded.last?.header.contains("Range") == (expected != nil))
    }

    @Test(
        "A complete partial file is moved, and one longer than the server's is downloaded again",
        arguments: ["6", "4"]
    )
    func notSatisfiable(total: String) async throws {
        let client = client { [sent, version] request in
            switch sent.count {
            case 1: (200, version, ["abcdef", ""])
            case 2: (416, [Field(name: "Content-Range", value: "bytes */\(total)")], ["no"])
            default: (200, version, ["fresh"])
            }
        }
        await #expect(throws: TransportError.self) { try await download(client) }
        try await download(client)
        #expect(try content() == (total == "6" ? "abcdef" : "fresh"))
        #expect(
            sent.recorded.map { $0.header.contains("Range") } == (total == "6" ? [false, true] : [false, true, false])
        )
        #expect(try names == ["file"])
    }

    @Test(
        "A complete partial file of another version with the same length is downloaded again",
        arguments: [
            (nil, Field(name: .eTag, value: "\"v1\""), false), (nil, Field(name: .eTag, value: "\"v2\""), true),
            (nil, Field(name: .lastModified, value: "Sun, 06 Nov 1994 08:49:38 GMT"), false),
            ("Sun, 06 Nov 1994 08:49:38 GMT", Field(name: .lastModified, value: "Sun, 06 Nov 1994 08:49:38 GMT"), true),
        ] as [(String?, Field, Bool)]
    )
    func notSatisfiableOfVersion(date: String?, field: Field, isAnew: Bool) async throws {
        let version = date.map { DownloadTests.dated($0) } ?? version
        let client = client { [sent] _ in
            switch sent.count {
            case 1: (200, version, ["first", ""])
            case 2: (416, [Field(name: "Content-Range", value: "bytes */5"), field], [])
            default: (200, version, ["later"])
            }
        }
        await #expect(throws: TransportError.self) { try await download(client) }
        try await download(client)
        #expect(try content() == (isAnew ? "later" : "first"))
        #expect(sent.recorded.map { $0.header.contains("Range") } == (isAnew ? [false, true, false] : [false, true]))
        #expect(try names == ["file"])
    }

    @Test(
        "A download restarts if the part doesn't start at the requested byte",
        arguments: [
            "bytes 2-5/6", "bytes 4-5/6", "bytes */6", "bytes 3-5", "bytes 3-2/6", "bytes 3-6/6", "", "bytes 3-5/7",
        ]
    )
    func wrongPart(range: String) async throws {
        let client = client { [sent, version] request in
            if request.header.contains("Range") {
                return (206, Header(Array(version) + [Field(name: "Content-Range", value: range)]), ["def"])
            }
            return (200, version, sent.count == 1 ? ["abc", ""] : ["fresh"])
        }
        await #expect(throws: TransportError.self) { try await download(client) }
        try await download(client)
        #expect(try content() == "fresh")
        #expect(try names == ["file"])
    }

    @Test(
        "A download restarts if the part is encoded, or of another or an unknown version",
        arguments: [
            (nil, Field(name: .contentEncoding, value: "gzip")), (nil, Field(name: "X-Tag", value: "none")),
            (nil, Field(name: .eTag, value: "\"v2\"")),
            ("Sun, 06 Nov 1994 08:49:38 GMT", Field(name: .lastModified, value: "Sun, 06 Nov 1994 08:49:38 GMT")),
        ] as [(String?, Field)]
    )
    func unfittingPart(date: String?, field: Field) async throws {
        let version = date.map { DownloadTests.dated($0) } ?? version
        let range = Field(name: "Content-Range", value: "bytes 3-5/6")
        let client = client { [sent] _ in
            switch sent.count {
            case 1: (200, version, ["abc", ""])
            case 2:
                (206, Header((field.name == .contentEncoding ? Array(version) : []) + [field, range]), ["def"])
            default: (200, version, ["fresh"])
            }
        }
        await #expect(throws: TransportError.self) { try await download(client) }
        try await download(client)
        #expect(try content() == "fresh")
        #expect(sent.recorded.map { $0.header.contains("Range") } == [false, true, false])
    }

    @Test("A 416 for a partial file that is shorter than an earlier response said restarts the download")
    func shrunk() async throws {
        let whole = Header(Array(version) + [Field(name: .contentLength, value: "10")])
        let client = client { [sent, version] request in
            switch sent.count {
            case 1: (200, whole, ["abcdef", ""])
            case 2: (416, Header(Array(version) + [Field(name: "Content-Range", value: "bytes */6")]), ["no"])
            default: (200, whole, ["0123456789"])
            }
        }
        await #expect(throws: TransportError.self) { try await download(client) }
        try await download(client)
        #expect(try content() == "0123456789")
    }

    @Test("A part of a file that has another size than an earlier response said restarts the download")
    func otherSize() async throws {
        let whole = Header(Array(version) + [Field(name: .contentLength, value: "10")])
        let client = client { [sent, version] request in
            switch sent.count {
            case 1: (200, whole, ["abc", ""])
            case 2: (206, Header(Array(version) + [Field(name: "Content-Range", value: "bytes 3-5/6")]), ["def"])
            default: (200, whole, ["0123456789"])
            }
        }
        await #expect(throws: TransportError.self) { try await download(client) }
        try await download(client)
        #expect(try content() == "0123456789")
    }

    @Test("Only the user can read a partial file, and the finished one has the permissions of a new file")
    func permissions() async throws {
        func permissions(_ name: String) throws -> Int {
            let path = directory.appendingPathComponent(name).path
            let value = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
            return (value as? NSNumber)?.intValue ?? 0
        }
        let plain = directory.appendingPathComponent("plain")
        try Data().write(to: plain)
        let usual = try permissions("plain")
        try FileManager.default.removeItem(at: plain)
        let client = client { [sent, version] request in
            sent.count == 1
                ? (200, version, ["abc", ""])
                : (206, Header(Array(version) + [Field(name: "Content-Range", value: "bytes 3-5/6")]), ["def"])
        }
        await #expect(throws: TransportError.self) { try await download(client) }
        #expect(try permissions(".file.partial") == 0o600)
        try await download(client)
        #expect(try content() == "abcdef")
        #expect(try permissions("file") == usual)
        #expect(try names == ["file"])
    }
}
