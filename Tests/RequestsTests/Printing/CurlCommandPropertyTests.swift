import Requests
import RequestsTestSupport
import Testing

@Suite("Random requests as curl commands", .timeLimit(.minutes(5)))
struct CurlCommandPropertyTests {
    @Test("curl receives the fields, query and body as they were built")
    func anyRequest() throws {
        let texts = Array(HostileText(seed: 10, count: 600, leavingOut: HostileText.controls))
        let api = BaseURL("https://api.example.com")
        var commands: [String] = []
        var expected: [PosixShell.Call] = []
        for index in stride(from: 0, to: texts.count, by: 3) {
            let field = Field(name: "X", value: texts[index])
            let request = try api.post(.text(texts[index + 2]), to: "/")
                .adding(headerField: field).with(query: [texts[index + 1]: texts[index]]).prepared()
            commands.append(request.curlCommand(revealingSecrets: true))
            expected.append(
                PosixShell.Call(
                    text: texts[index + 2],
                    after: [
                        "--request", "POST", "--header", field.value.isEmpty ? "X;" : "X: \(field.value)",
                        "--header", "Content-Type: text/plain; charset=utf-8",
                    ],
                    to: request.url.text
                )
            )
        }
        let calls = try PosixShell.calls(of: commands)
        #expect(calls.count == expected.count)
        let broken = zip(calls, expected).first { call, expected in
            // Compares bytes, because strings that are canonically equivalent are different arguments.
            call.input != expected.input
                || call.arguments.map { Array($0.utf8) } != expected.arguments.map { Array($0.utf8) }
        }
        #expect(broken?.0 == broken?.1)
        #expect(broken == nil)
    }

    @Test("curl receives any body and any file name unchanged")
    func anyBody() throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "requests-\(UUID())")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        var random = SplitMix64(seed: 13)
        var commands: [String] = []
        var expected: [PosixShell.Call] = []
        let url = try RequestURL("https://h/")
        for name in HostileText(seed: 13, count: 60, leavingOut: ["/", "../", "\0"]) {
            let bytes = Data(
                (0...random.next(upperBound: 64 as UInt64)).map { _ in .random(in: 0...255, using: &random) }
            )
            // Skips empty names and dots, which can't be file names.
            let file = directory.appending(path: "f\(commands.count)\(name)")
            try bytes.write(to: file)
            let text = Data(name.utf8)
            let prefix = ["--request", "POST", "--header", "Content-Type:"]
            let whole = RequestBody.file(file)
            let part = RequestBody.file(file, range: 0..<Int64(bytes.count / 2))
            for (body, sent) in [
                (part, bytes.prefix(bytes.count / 2)), (.data(bytes + [0] + text), bytes + [0] + text),
            ] {
                let request = try PreparedRequest(method: .post, url: url, body: body)
                commands.append(request.curlCommand(revealingSecrets: true))
                expected.append(.init(arguments: prefix + ["--data-binary", "@-", "https://h/"], input: sent))
            }
            commands.append(try PreparedRequest(method: .post, url: url, body: whole).curlCommand())
            expected.append(.init(arguments: prefix + ["--data-binary", "@\(file.path)", "https://h/"]))
        }
        let calls = try PosixShell.calls(of: commands)
        #expect(calls.count == expected.count)
        let broken = zip(calls, expected).first { call, expected in
            call.input != expected.input
                || call.arguments.map { Array($0.utf8) } != expected.arguments.map { Array($0.utf8) }
        }
        #expect(broken?.0 == broken?.1)
        #expect(broken == nil)
    }
}
