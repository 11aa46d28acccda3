import Foundation
import Requests
import Testing

@Suite(
    "A multipart body, read by Python's email package",
    .timeLimit(.minutes(5)),
    .enabled(if: Python.isThere, Python.absence)
)
struct MultipartParsedTests {
    /// A part as it was given, and as it was read.
    private struct Read: Decodable, Equatable {
        /// Texts as hexadecimal digits, because not all of them can be told apart in JSON.
        var name: String
        var filename: String?
        var type: String?
        var header: [[String]]
        var content: String
    }

    @Test("has the names, the file names, the types, the fields and the bytes of its parts")
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
            // Each candidate is longer than the one before, and some contents have lines of the first.
            let candidates = Recorder<Void>()
            let provider = BodyProvider.multipart(Multipart(parts.map(\.part))) {
                candidates.record()
                return "b" + String(repeating: "1", count: candidates.count - 1)
            }
            let request = try AnonymousRequestProvider("https://h").post(provider, to: "/").prepared()
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

    /// Bytes are read as Latin-1, so that each is a character; `name` is undone as HTML §4.10.21.8 says.
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

    /// Makes parts of hostile texts and bytes.
    private struct PartSource {
        var random: SplitMix64
        var names: HostileText
        var values: HostileText
        let directory: URL
        var files = 0

        init(seed: UInt64, directory: URL) {
            random = SplitMix64(seed: seed)
            names = HostileText(seed: seed, count: .max)
            values = HostileText(seed: seed, count: .max, leavingOut: HostileText.lineBreaks)
            self.directory = directory
        }

        mutating func parts() throws -> [(part: Multipart.Part, read: Read)] {
            try (0...random.next(upperBound: 5 as UInt64)).map { _ in
                let name = names.next() ?? ""
                let filename = random.next(upperBound: 2 as UInt64) == 0 ? names.next() : nil
                var read = Read(name: hexadecimal(name.utf8), filename: nil, type: nil, header: [], content: "")
                var part: Multipart.Part
                switch random.next(upperBound: 3 as UInt64) {
                case 0:
                    let text = names.next() ?? ""
                    part = .field(name, text)
                    read.content = hexadecimal(text.utf8)
                case 1:
                    let (content, type) = (content(canHaveBoundary: true), type())
                    part = .data(name, content, filename: filename, contentType: type)
                    (read.filename, read.type) = (filename.map { hexadecimal($0.utf8) }, type.map(hexadecimal))
                    read.content = hexadecimal(content)
                default:
                    let (content, type) = (content(canHaveBoundary: false), type() ?? .binary)
                    files += 1
                    let file = directory.appending(path: "\(files)")
                    try content.write(to: file)
                    part = .file(name, file, filename: filename, contentType: type)
                    read.filename = hexadecimal((filename ?? "\(files)").utf8)
                    (read.type, read.content) = (hexadecimal(type), hexadecimal(content))
                }
                for index in 0..<random.next(upperBound: 3 as UInt64) {
                    let field = Field(name: Field.Name("X-\(index)"), value: values.next() ?? "")
                    part.header.add(field)
                    read.header.append([hexadecimal("X-\(index)".utf8), hexadecimal(field.value.utf8)])
                }
                return (part, read)
            }
        }

        private mutating func type() -> MediaType? {
            guard random.next(upperBound: 2 as UInt64) == 0 else { return nil }
            return MediaType(type: "image", subtype: "x", parameters: [.init("p", values.next() ?? "")])
        }

        /// Bytes, some of them lines that look like what separates the parts.
        private mutating func content(canHaveBoundary: Bool) -> Data {
            let lines = ["\r\n", "\n", "\r", "--", "\r\n--", "\r\n--a\r\n", "\r\n--a--\r\n", "\0", "\r\n\r\n", "x: y"]
            let boundaries = ["--b\r\n", "\r\n--b\r\n", "\r\n--b--\r\n", "\r\n--b1\r\n", "\n--b11--\r\n"]
            return (0..<random.next(upperBound: 6 as UInt64)).reduce(into: Data()) { data, _ in
                if random.next(upperBound: 3 as UInt64) == 0 {
                    let range = canHaveBoundary ? UInt8.min ... .max : 0x80 ... .max
                    data.append(contentsOf: (0..<9).map { _ in UInt8.random(in: range, using: &random) })
                } else {
                    data += Data(
                        ((canHaveBoundary ? lines + boundaries : lines).randomElement(using: &random) ?? "").utf8
                    )
                }
            }
        }

        private func hexadecimal(_ type: MediaType) -> String { hexadecimal(type.rawValue.utf8) }

        private func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
            bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }
    }
}
