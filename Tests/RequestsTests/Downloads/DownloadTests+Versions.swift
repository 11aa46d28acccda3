import Foundation
import RequestsTesting
import Testing

/// Partial files of another or an unknown version.
extension DownloadTests {
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
