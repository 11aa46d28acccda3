import Foundation
import Requests
import Testing

@Suite("Any request at all as a curl command")
struct CurlCommandPropertyTests {
    @Test("reaches curl as it was built, whatever is in its fields, its query and its body")
    func anyRequest() throws {
        let texts = Array(HostileText(seed: 10, count: 600, leavingOut: HostileText.lineBreaks))
        let api = AnonymousRequestProvider("https://api.example.com")
        var commands: [String] = []
        var expected: [PosixShell.Call] = []
        for index in stride(from: 0, to: texts.count, by: 3) {
            let field = Field(name: "X", value: texts[index])
            let request = try api.post(.text(texts[index + 2]), to: "/")
                .adding(headerField: field).with(query: [texts[index + 1]: texts[index]]).prepared()
            commands.append(request.curlCommand(revealingSecrets: true))
            expected.append(
                .init(arguments: [
                    "--request", "POST", "--header", field.value.isEmpty ? "X;" : "X: \(field.value)",
                    "--header", "Content-Type: text/plain; charset=utf-8", "--data-raw", texts[index + 2],
                    request.url.text,
                ])
            )
        }
        let calls = try PosixShell.calls(of: commands)
        #expect(calls.count == expected.count)
        let broken = zip(calls, expected).first { call, expected in
            // By bytes: texts that Unicode calls equivalent are not the same arguments.
            call.arguments.map { Array($0.utf8) } != expected.arguments.map { Array($0.utf8) }
        }
        #expect(broken?.0 == broken?.1)
        #expect(broken == nil)
    }
}
