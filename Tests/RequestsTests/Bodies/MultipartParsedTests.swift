import RequestsClient
import RequestsTestSupport
import Testing

@Suite(
    "Multipart bodies parsed by Python's email package",
    .timeLimit(.minutes(5)),
    .enabled(if: Python.isThere, Python.absence)
)
struct MultipartParsedTests {
    /// A part, as it was created or as Python read it.
    private struct Read: Decodable, Equatable {
        /// Strings as hexadecimal digits, because JSON can't distinguish all of them.
        var name: String
        var filename: String?
        var type: String?
        var header: [[String]]
        var content: String
    }

    @Test("the names, filenames, types, fields and bytes of all parts are read unchanged")
    func parts() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "requests-\(UUID())")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }

        var source = PartSource(seed: 30, directory: directory)
        var expected: [[Read]] = []
        var input = Data()
        for _ in 0..<300 {
            let parts = try source.parts()
            expected.append(parts.map(\.read))
            let multipart = Multipart(parts.map(\.part))
            let request = try BaseURL("https://h").post(.multipart(multipart), to: "/").prepared()
            var message = Data("Content-Type: \(request.header[.contentType] ?? "")\r\n\r\n".utf8)
            let reader = try request.body.makeReader()
            while let piece = try await reader.next() { message += piece }
            input += Data("\(message.count)\n".utf8) + message
        }

        let lines = try Python.run(MultipartParsedTests.program, input)
        let read = try lines.map { try JSONDecoder().decode([Read].self, from: Data($0.utf8)) }
        #expect(read.count == expected.count)
        let broken = zip(read, expected).first { $0 != $1 }
        #expect(broken?.0 == broken?.1)
    }

    /// Reads bytes as Latin-1, so that each is one character, and decodes `name` as in HTML §4.10.21.8.
    private static let program = #"""
        import email, io, json, re, sys

        def digits(text):
            return text.encode("latin-1").hex()

        def unescaped(text):
            return digits(text.replace("%0D", "\r").replace("%0A", "\n").replace("%22", '"'))

        def described(part):
            (_, disposition), *rest = part.items()
            name, filename = re.fullmatch(
                'form-data; name="([^"]*)"(?:; filename="([^"]*)")?', disposition).groups()
            content_type = digits(rest.pop(0)[1]) if rest and rest[0][0] == "Content-Type" else None
            return {
                "name": unescaped(name), "filename": filename if filename is None else unescaped(filename),
                "type": content_type, "header": [[digits(name), digits(value)] for name, value in rest],
                "content": digits(part.get_payload()),
            }

        lines = []
        messages = io.BytesIO(sys.stdin.buffer.read())
        while size := messages.readline():
            message = email.message_from_string(messages.read(int(size)).decode("latin-1"))
            assert message.is_multipart() and not message.defects and not message.preamble and not message.epilogue
            lines.append(json.dumps([described(part) for part in message.get_payload()]))
        print("\n".join(lines))
        """#

    /// Creates parts from hostile strings and bytes.
    private struct PartSource {
        var random: SplitMix64
        var names: HostileText
        var values: HostileText
        let directory: URL
        var files = 0

        init(seed: UInt64, directory: URL) {
            random = SplitMix64(seed: seed)
            names = HostileText(seed: seed, count: .max)
            values = HostileText(seed: seed, count: .max, leavingOut: HostileText.controls)
            self.directory = directory
        }

        /// Creates parts. Some contain the boundary that they would have without their contents.
        mutating func parts() throws -> [(part: Multipart.Part, read: Read)] {
            let drafts = (0...random.next(upperBound: 5 as UInt64)).map { _ in draft() }
            let empty = Multipart(drafts.map { $0.part(with: Data(), in: directory) })
            for draft in drafts where draft.kind == .file { try Data().write(to: draft.file(in: directory)) }
            let request = try BaseURL("https://h").post(.multipart(empty), to: "/").prepared()
            let boundary = String(request.header[.contentType]?.split(separator: "=").last ?? "")
            return try drafts.map { draft in
                let content = content(boundary: draft.kind == .file ? nil : boundary)
                if draft.kind == .file { try content.write(to: draft.file(in: directory)) }
                let text = String(decoding: content, as: UTF8.self)
                let filename = [.text, .field].contains(draft.kind) ? nil : draft.filename ?? draft.id
                let read = Read(
                    name: hexadecimal(draft.name.utf8),
                    filename: filename.map { hexadecimal($0.utf8) },
                    type: draft.type.map { hexadecimal($0.rawValue.utf8) },
                    header: draft.header.map { [hexadecimal($0.name.rawValue.utf8), hexadecimal($0.value.utf8)] },
                    content: draft.kind == .text ? hexadecimal(text.utf8) : hexadecimal(content)
                )
                return (draft.part(with: content, in: directory), read)
            }
        }

        private mutating func draft() -> Draft {
            files += 1
            let kind = Draft.Kind.allCases[Int(random.next(upperBound: 4 as UInt64))]
            var draft = Draft(id: "\(files)", kind: kind, name: names.next() ?? "")
            if kind == .data || kind == .file { draft.type = .binary }
            if kind != .text, random.next(upperBound: 2 as UInt64) == 0 {
                draft.type = MediaType(type: "image", subtype: "x", parameters: [("p", values.next() ?? "")])
            }
            if random.next(upperBound: 2 as UInt64) == 0 { draft.filename = names.next() }
            for index in 0..<random.next(upperBound: 3 as UInt64) {
                draft.header.add(Field(name: Field.Name("X-\(index)"), value: values.next() ?? ""))
            }
            return draft
        }

        /// Makes random bytes and lines that look like delimiters.
        private mutating func content(boundary: String?) -> Data {
            let lines = ["\r\n", "\n", "\r", "--", "\r\n--", "\r\n--a\r\n", "\r\n--a--\r\n", "\0", "\r\n\r\n", "x: y"]
            let boundaries = boundary.map { boundary in
                ["\(boundary)\r\n", "\r\n--\(boundary)--\r\n", "\n--\(boundary)-1\r\n", "--\(boundary)-2"]
            }
            return (0..<random.next(upperBound: 6 as UInt64)).reduce(into: Data()) { data, _ in
                if random.next(upperBound: 3 as UInt64) == 0 {
                    data.append(contentsOf: (0..<9).map { _ in UInt8.random(in: .min ... .max, using: &random) })
                } else {
                    data += Data(((lines + (boundaries ?? [])).randomElement(using: &random) ?? "").utf8)
                }
            }
        }

        private func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
            bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }
    }

    /// A part without its content.
    private struct Draft {
        enum Kind: CaseIterable { case text, field, data, file }

        let id: String
        let kind: Kind
        let name: String
        var type: MediaType?
        var filename: String?
        var header = Header.empty

        func file(in directory: URL) -> URL { directory.appending(path: id) }

        func part(with content: Data, in directory: URL) -> Multipart.Part {
            var part: Multipart.Part =
                switch kind {
                case .text: .field(name, String(decoding: content, as: UTF8.self))
                case .field: .field(name, data: content, contentType: type)
                case .data: .data(name, content, filename: filename ?? id, contentType: type ?? .binary)
                case .file: .file(name, file(in: directory), filename: filename, contentType: type ?? .binary)
                }
            part.header = header
            return part
        }
    }

    @Test(
        "a multipart body that ends in a delimiter, or is empty, is redacted without a trap",
        arguments: ["--b", "--b--b", "", "--", "--b\r\n\r\n--b"]
    )
    func endsInDelimiter(text: String) throws {
        let api = BaseURL("https://a.example")
        let body = BodyProvider.raw(data: Data(text.utf8), contentType: "multipart/form-data; boundary=b")
        #expect(try api.post(body, to: "/").prepared().httpMessage().hasSuffix("\n\n\(text)"))
        #expect(FormPart.redacted(Data(text.utf8), "b") { _, _ in true } == Data(text.utf8))
    }
}
