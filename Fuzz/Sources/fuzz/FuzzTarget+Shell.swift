import Foundation

@testable import Requests
@testable import RequestsConformance

extension FuzzTarget {
    static let shell = [
        FuzzTarget(
            "curl-command",
            seeds: [
                ["a", "b", "c"], ["'$(echo x)'", "`x`", "a\nb"], ["\\", "é'\u{301}", "%s\\0"], ["", "", "-o"],
                ["{}", "[]", "@f"],
            ]
        ) { input in
            let (value, query, body) = (input.text(), input.text(), input.bytes())
            // The words of a command end in NUL.
            guard !value.utf8.contains(0), !query.utf8.contains(0) else { return }
            let field = Field(name: "X", value: value)
            let request = try BaseURL("https://a").post(.raw(data: body), to: "/")
                .adding(headerField: field).with(query: ["q": query]).prepared()
            let script = "curl() { printf '%s\\0' \"$@\"; cat; }; " + request.curlCommand(revealingSecrets: true)
            let (status, output) = try Subprocess.run("/bin/sh", ["-c", script])
            require(status == 0, "the command runs")
            let line = field.value.isEmpty ? "X;" : "X: \(field.value)"
            require(output.firstRange(of: Data("--header\0\(line)\0".utf8)) != nil, "curl receives the field")
            require(output.firstRange(of: Data("\0\(request.url.text)\0".utf8)) != nil, "curl receives the URL")
            let text = Data("\0--data-raw\0".utf8) + body + Data([0])
            require(output.firstRange(of: text) != nil || output.suffix(body.count) == body, "curl receives the body")
        }
    ]
}
