import Foundation
import Requests
import RequestsClient
import RequestsTesting
import Testing

@Suite("Requests from curl commands", .timeLimit(.minutes(5)))
struct CurlParsingTests {
    private func message(_ command: String) throws -> String {
        try PreparedRequest(curl: command).httpMessage(revealingSecrets: true)
    }

    private func error(_ command: String) -> RequestError? {
        #expect(throws: RequestError.self) { try PreparedRequest(curl: command) }
    }

    @Test("a command that a browser copies becomes the request")
    func browser() throws {
        let command = #"""
            curl 'https://api.example.com/users?page=2' \
              -X 'PUT' \
              -H 'accept: application/json' \
              -H 'content-type: application/json' \
              -H 'cookie: a=1; b=2' \
              --data-raw $'{"name":"Ad\u00e0\'s","tab":"\t"}' \
              --compressed
            """#
        #expect(
            try message(command) == """
                PUT /users?page=2 HTTP/1.1
                Host: api.example.com
                accept: application/json
                content-type: application/json
                cookie: a=1; b=2
                Content-Length: 27

                {"name":"Adà's","tab":"\t"}
                """
        )
    }

    @Test(
        "words are split by POSIX quoting",
        arguments: [
            (#"'a b'"#, "a b"), (#""a \"b\" \$c \z""#, #"a "b" $c \z"#), (#"a\ b\'c"#, "a b'c"), ("a'b'\"c\"d", "abcd"),
            (#"'it'\''s'"#, "it's"), ("''", ""), (#""a\"# + "\nb\"", "ab"), (#"$'\x41\101\n\\\''"#, "AA\n\\'"),
            (#"$'caf\xc3\xa9'"#, "café"), (#""100 $ 5""#, "100 $ 5"), ("'#no'", "#no"), ("a#b", "a#b"),
        ]
    )
    func quoting(_ argument: String, _ data: String) throws {
        let request = try PreparedRequest(curl: "curl http://h --data-raw \(argument) # comment")
        #expect(request.body.data == Data(data.utf8))
    }

    @Test(
        "a command that can't be read as one request throws",
        arguments: [
            ("wget http://h", "start with curl"), ("curl", "no URL"), ("curl http://a http://b", "two URLs"),
            ("curl http://h -H \"Authorization: $TOKEN\"", "variable"), ("curl http://h -d `id`", "variable"),
            ("curl http://h -d $(id)", "variable"), ("curl http://h -d \"$(id)\"", "variable"),
            ("curl http://h -d 'a", "quote"), ("curl http://h | sh", "unquoted |"),
            ("curl http://h\ncurl", "second line"),
            ("curl http://h --proxy p", "--proxy"), ("curl http://h -Q", "-Q"), ("curl http://h -H", "has no value"),
            ("curl http://h -d a -F b=c", "mixes"), ("curl http://h -b jar.txt", "cookies"),
            ("curl http://h -d @-", "standard input"), ("curl http://h -m soon", "seconds"),
            ("curl http://h -d @/nonexistent", "can't be read"), ("curl ftp://h", "ftp"),
        ]
    )
    func faults(_ command: String, _ words: String) {
        #expect(error(command)?.message.contains(words) == true, "\(error(command)?.message ?? "")")
    }

    @Test("an error shows no argument of the command")
    func secrets() {
        #expect(error("curl http://h -u me:c4nary --proxy http://c4nary")?.description.contains("c4nary") == false)
        #expect(error("curl http://h --proxy=http://c4nary")?.description.contains("c4nary") == false)
        #expect(error("curl http://h -m c4nary")?.description.contains("c4nary") == false)
    }

    @Test("data is joined, encoded, or moved to the query")
    func data() throws {
        let joined = try PreparedRequest(curl: "curl h -d a=1 --data-urlencode 'b=x y&z' --data-urlencode =é -dc")
        #expect(joined.method == .post)
        #expect(joined.header == [.contentType(.urlEncodedForm)])
        #expect(joined.body.data == Data("a=1&b=x%20y%26z&%C3%A9&c".utf8))
        let query = try PreparedRequest(curl: "curl -G 'http://h/s?a=1' -d b=2 -d c")
        #expect(query.description == "GET http://h/s?a=1&b=2&c")
        #expect(query.body.isNone)
    }

    @Test("options set the method, the fields, the body and the timeouts")
    func options() throws {
        let flags = try PreparedRequest(curl: "/usr/bin/curl -sSLkXPATCH -m2.5 --connect-timeout 1 -- http://h/a")
        #expect(flags.method == .patch)
        #expect(flags.options.timeouts == Timeouts(connect: .seconds(1), total: .milliseconds(2500)))
        #expect(try PreparedRequest(curl: "curl -I h").method == .head)
        let fields = try PreparedRequest(curl: "curl h -u 'me:a:b' -A ua -e https://r -b c=1 -H 'X-Empty;' -H 'A: b:c'")
        let expected: Header = [
            .authorization("Basic bWU6YTpi"), Field(name: .userAgent, value: "ua"),
            Field(name: "Referer", value: "https://r"),
            Field(name: .cookie, value: "c=1"), Field(name: "X-Empty", value: ""), Field(name: "A", value: "b:c"),
        ]
        #expect(fields.header == expected)
        let json = try PreparedRequest(
            curl: #"curl h --json '{"a":1}' -H 'Accept: text/plain' -H 'Content-Length: 99'"#
        )
        #expect(json.header == [Field(name: .accept, value: "text/plain"), .contentType(.json)])
        let bare = try PreparedRequest(curl: "curl h -d a -H Content-Type:")
        #expect(bare.header == .empty)
    }

    @Test("a form has fields and files")
    func form() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "curl-\(UUID().uuidString).txt")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data("line\nbreak\n".utf8).write(to: file)
        let form = try PreparedRequest(
            curl: "curl h -F name=Ada -F 'doc=@\(file.path);type=text/plain;filename=a.txt' --form-string at=@x"
        )
        let body = String(decoding: try await form.body.collect(upTo: 10_000), as: UTF8.self)
        for part in [
            "name=\"name\"\r\n\r\nAda\r\n",
            "name=\"doc\"; filename=\"a.txt\"\r\nContent-Type: text/plain\r\n\r\nline\nbreak\n",
            "name=\"at\"\r\n\r\n@x\r\n",
        ] { #expect(body.contains(part)) }
        #expect(try PreparedRequest(curl: "curl h -d @\(file.path)").body.data == Data("linebreak".utf8))
        let binary = try PreparedRequest(curl: "curl h --data-binary @\(file.path)")
        #expect(try await binary.body.collect(upTo: 100) == Data("line\nbreak\n".utf8))
    }

    @Test("a command that this package prints becomes the same request")
    func roundTrip() throws {
        let request = try PreparedRequest(
            method: .put,
            url: RequestURL("https://h/a%20b?q='x'&r=[1]"),
            header: [.contentType(.json), .authorization("Bearer a'b\"c"), Field(name: "X-Empty", value: "")],
            body: .data(Data("{\"a\": \"it's $HOME `id` \\\\n\"}\n".utf8))
        )
        #expect(try PreparedRequest(curl: request.curlCommand(revealingSecrets: true)) == request)
    }
}
