import RequestsClient
import Testing

@Suite("Multipart bodies", .timeLimit(.minutes(5)))
struct MultipartTests {
    private let api = BaseURL("https://api.example.com")

    private func prepared(_ multipart: Multipart) throws -> PreparedRequest {
        try api.post(.multipart(multipart), to: "/").prepared()
    }

    private func boundary(of request: PreparedRequest) throws -> String {
        let type = try #require(request.header[.contentType].flatMap { MediaType($0) })
        return try #require(type.parameters.first { $0.name == "boundary" }).value
    }

    private func text(_ multipart: Multipart, _ type: MediaType?, header: Header = []) throws -> String {
        let request = try api.post(.multipart(multipart, contentType: type), to: "/").with(header: header).prepared()
        #expect(request.header[values: .contentType].count == 1)
        return "\(request.header[.contentType] ?? "")\n"
            + String(decoding: try #require(request.body.data), as: UTF8.self)
    }

    @Test("parts without names have no Content-Disposition, and the caller's boundary is used")
    func related() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "requests-\(UUID()).txt")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data("file".utf8).write(to: file)
        let parts: Multipart = [
            .content(Data("{}".utf8), contentType: .json), .content(Data("b".utf8), contentType: nil),
        ]
        #expect(
            try text(parts, "multipart/related; type=\"a/b\"; boundary=abc") == """
                multipart/related; type="a/b"; boundary=abc
                --abc\r
                Content-Type: application/json\r
                \r
                {}\r
                --abc\r
                \r
                b\r
                --abc--\r\n
                """
        )
        let upload = BodyProvider.multipart(
            [.content(of: file, contentType: .plainText)],
            contentType: "multipart/mixed"
        )
        let body = try api.post(upload, to: "/").prepared().body
        #expect("\(body)" == "1 part, \(try #require(body.length)) bytes in memory and in files")
        let two = try api.post(.multipart([.field("a", "1"), .field("b", "2")]), to: "/").prepared().body
        #expect("\(two)" == "2 parts, \(try #require(two.length)) bytes")
        let named = BodyProvider.multipart(
            [.content(of: file, contentType: .plainText)],
            contentType: "multipart/mixed; boundary=abc"
        )
        let error = #expect(throws: RequestError.self) { try api.post(named, to: "/").prepared() }
        #expect(error?.message.contains("a file may contain") == true)
    }

    @Test("without a type, the request's own is kept, with its boundary if it has one")
    func ownType() throws {
        let parts: Multipart = [.content(Data(), contentType: nil)]
        let own = try text(parts, nil, header: [.contentType("multipart/mixed; boundary=abc")])
        #expect(own == "multipart/mixed; boundary=abc\n--abc\r\n\r\n\r\n--abc--\r\n")
        #expect(
            try text(parts, nil, header: [.contentType("multipart/mixed")]).hasPrefix("multipart/mixed; boundary=Req")
        )
        #expect(try text([.field("a", "")], nil).hasPrefix("multipart/form-data; boundary=Requests-"))
        #expect(throws: RequestError.self) { try text(parts, nil) }
    }

    @Test(
        "a type that isn't multipart, or whose boundary is illegal or occurs in a part, throws",
        arguments: [
            "application/json", "multipart/mixed; boundary=\"\"", "multipart/mixed; boundary=\"a \"",
            "multipart/mixed; boundary=\"a;b\"", "multipart/mixed; boundary=a; boundary=b",
            "multipart/mixed; boundary=zz",
            "multipart/mixed; boundary=xy",
            "multipart/mixed; boundary=\(String(repeating: "a", count: 71))",
        ]
    )
    func illegalType(type: String) throws {
        let parts: Multipart = [.field("a", "\r\n--xy\r\n"), .field("--zz", "")]
        for own in [false, true] {
            let error = #expect(throws: RequestError.self) {
                try text(
                    parts,
                    own ? nil : MediaType(type),
                    header: own ? [Field(name: .contentType, value: type)] : []
                )
            }
            #expect(error?.code == .invalidMediaType)
        }
    }

    @Test("a part's own header replaces the fields that it would get, so that no line is repeated")
    func ownFields() throws {
        var part = Multipart.Part.field("a", data: Data(), contentType: .json)
        part.header = [.contentType(.xml), Field(name: "content-disposition", value: "attachment")]
        let body = try text([part], "multipart/form-data; boundary=b")
        #expect(
            body.hasSuffix(
                "--b\r\nContent-Type: application/xml\r\ncontent-disposition: attachment\r\n\r\n\r\n--b--\r\n"
            )
        )
    }

    @Test("parts that are known at run time need no Multipart")
    func runTimeParts() throws {
        let parts = ["a", "b"].map { Multipart.Part.field($0, $0) }
        #expect(try api.post(.multipart(parts), to: "/").prepared() == prepared(Multipart(parts)))
    }

    @Test("a body contains its parts in order, each with its header")
    func parts() throws {
        var custom = Multipart.Part.data("d", Data([0x61]), filename: "a.bin")
        custom.header = [Field(name: "X-Note", value: "1")]
        let request = try prepared([
            .field("title", "Ünder\r\nscore"), custom, .field("meta", data: Data("{}".utf8), contentType: .json),
            .field("raw", data: Data([0x62])), .field("", ""),
        ])
        let boundary = try boundary(of: request)
        #expect(request.header == [Field(name: .contentType, value: "multipart/form-data; boundary=\(boundary)")])
        #expect(
            request.body.data
                == Data(
                    """
                    --\(boundary)\r
                    Content-Disposition: form-data; name="title"\r
                    \r
                    Ünder\r
                    score\r
                    --\(boundary)\r
                    Content-Disposition: form-data; name="d"; filename="a.bin"\r
                    Content-Type: application/octet-stream\r
                    X-Note: 1\r
                    \r
                    a\r
                    --\(boundary)\r
                    Content-Disposition: form-data; name="meta"\r
                    Content-Type: application/json\r
                    \r
                    {}\r
                    --\(boundary)\r
                    Content-Disposition: form-data; name="raw"\r
                    \r
                    b\r
                    --\(boundary)\r
                    Content-Disposition: form-data; name=""\r
                    \r
                    \r
                    --\(boundary)--\r\n
                    """.utf8
                )
        )
    }

    @Test("names are escaped as in browsers, so that they can't start a line or end their quotes")
    func names() throws {
        let request = try prepared([.data("a\"b\r\nc: d", Data(), filename: "ü\"\n.txt")])
        let text = String(decoding: request.body.data ?? Data(), as: UTF8.self)
        #expect(text.contains(#"name="a%22b%0D%0Ac: d"; filename="ü%22%0A.txt""#))
        #expect(text.split(separator: "\r\n").count == 4)
    }

    @Test("a line break in a part's header field makes the build throw")
    func partHeader() throws {
        var part = Multipart.Part.field("a", "b")
        part.header = [Field(name: "X", value: "1\r\nY: 2")]
        let error = #expect(throws: RequestError.self) { try prepared([part]) }
        #expect(error?.code == .invalidFieldValue)
    }

    @Test("a line break in a part's media type makes the build throw")
    func partType() throws {
        let type = MediaType(type: "a", subtype: "b", parameters: [("p", "1\r\nX: 2")])
        let error = #expect(throws: RequestError.self) {
            try prepared([.data("a", Data(), filename: "a", contentType: type)])
        }
        #expect(error?.code == .invalidFieldValue)
        #expect(error?.subject == "Content-Type")
    }

    @Test("equal parts make equal bodies, with or without files, and the boundary is valid in RFC 2046")
    func equality() throws {
        let file = URL(filePath: #filePath)
        let definitions: [@Sendable () -> Multipart] = [
            { [.field("a", "b")] }, { [] },
            { [.data("a", Data([0xFF]), filename: "f", contentType: .png), .field("é\r\n", "")] },
            { [.field("a", "b"), .file("f", file, filename: "g")] },
        ]
        for definition in definitions {
            let request = api.post(.multipart(definition()), to: "/")
            #expect(try request.prepared() == request.prepared())
            #expect(try request.prepared() == prepared(definition()))
            let boundary = try boundary(of: request.prepared())
            #expect(boundary.count <= 70)
            #expect(boundary.utf8.allSatisfy { "-0123456789".utf8.contains($0) || (65...122).contains($0) })
        }
        #expect(try prepared([.field("a", "b")]) != prepared([.field("a", "c")]))
        #expect(try prepared([.file("a", file)]) != prepared([.file("b", file)]))
    }

    @Test("no content in memory contains the boundary, whatever it quotes")
    func containedBoundary() throws {
        let first = try boundary(of: prepared([.field("a", ""), .field("b", "")]))
        #expect(try boundary(of: prepared([.field("a", first), .field("b", "-")])) == first)
        let text = "\r\n--\(first)--"
        let second = try boundary(of: prepared([.field("a", text), .field("b", "")]))
        let third = try boundary(of: prepared([.field("a", text), .field("b", "\r\n--\(second)--")]))
        let data = Data([0xFF, 0]) + Data(text.utf8)
        let fourth = try boundary(of: prepared([.field("a", data: data), .field("b", "")]))
        #expect(Set([first, second, third, fourth]).count == 4)
        #expect(try boundary(of: prepared([.field("a", text), .field("b", "")])) == second)
    }

    @Test("the size of a file is read when the request is built, not when the part is created")
    func grownFile() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "requests-\(UUID())")
        let request = api.post(.multipart([.file("a", file)]), to: "/")
        try Data("short".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let length = try #require(try request.prepared().body.length)
        try Data("longer".utf8).write(to: file)
        let body = try request.prepared().body
        #expect(body.length == length + 1)
        let reader = try body.makeReader()
        var all = Data()
        while let piece = try await reader.next() { all += piece }
        let end = Data("longer\r\n--\(try boundary(of: request.prepared()))--\r\n".utf8)
        #expect(all.suffix(end.count) == end)
    }

    @Test("files are read while the body is sent, and its length is known in advance")
    func files() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "requests-\(UUID()).jpg")
        try Data(count: 400_000).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let request = try prepared([.field("a", "b"), .file("photo", file, filename: "p.jpg", contentType: .jpeg)])
        #expect(request.body.data == nil)
        #expect(request.body.isReplayable)
        let reader = try request.body.makeReader()
        var all = Data()
        var largest = 0
        while let piece = try await reader.next() {
            all += piece
            largest = max(largest, piece.count)
        }
        #expect(Int64(all.count) == request.body.length)
        #expect(largest == 262_144)
        let end = Data("\r\n--\(try boundary(of: request))--\r\n".utf8)
        #expect(all.suffix(end.count) == end)
        #expect(request.httpMessage().contains("<400000 bytes of the file"))

        let calls = try PosixShell.calls(of: [request.curlCommand()])
        #expect(calls.first?.input == all)

        try FileManager.default.removeItem(at: file)
        #expect(throws: RequestError.self) { try prepared([.file("photo", file)]) }
    }
}
