import Foundation
import Requests
import Testing

@Suite("A body that is printed", .timeLimit(.minutes(5)))
struct RequestBodyRedactedTests {
    private let api = AnonymousRequestProvider("https://a.example")
    private let secret = "c4nary"

    private func expectHidden(_ body: BodyProvider, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let request = try api.post(body, to: "/login").prepared()
        for text in [request.curlCommand(), request.httpMessage()] {
            #expect(!text.contains(secret), sourceLocation: sourceLocation)
            #expect(text.contains("<redacted>"), sourceLocation: sourceLocation)
            #expect(text.contains("ada"), sourceLocation: sourceLocation)
        }
        for text in [request.curlCommand(revealingSecrets: true), request.httpMessage(revealingSecrets: true)] {
            #expect(text.contains(secret), sourceLocation: sourceLocation)
        }
        let other = try api.post(.text("other"), to: "/login").prepared()
        #expect(!"\(request.difference(from: other))".contains(secret), sourceLocation: sourceLocation)
    }

    @Test("shows no credential of a form or of JSON")
    func forms() throws {
        try expectHidden(.form(["user": "ada", "refresh_token": .init(secret)]))
        try expectHidden(.json(["user": "ada", "nested": ["password": secret]]))
        try expectHidden(.json(["user": "ada", "keys": [["token": ["value": secret]]]]))
    }

    @Test("shows no credential of parts, with files or without")
    func multipart() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "requests-\(UUID())")
        try Data("abc".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        for parts in [
            Multipart([.field("user", "ada"), .field("password", secret), .field("last", "1")]),
            Multipart([.field("user", "ada"), .file("photo", file), .field("password", secret)]),
        ] {
            let request = try api.post(.multipart(parts), to: "/login").prepared()
            #expect(!request.curlCommand().contains(secret))
            #expect(!request.httpMessage().contains(secret))
            #expect(request.httpMessage().contains("name=\"password\"\r\n\r\n<redacted>\r\n--"))
            #expect(request.httpMessage(revealingSecrets: true).contains(secret))
        }
    }

    @Test("shows no credential of parts beside one that is no text")
    func binaryParts() throws {
        let parts = Multipart([.field("user", "ada"), .data("photo", Data([0xFF, 0])), .field("password", secret)])
        let request = try api.post(.multipart(parts), to: "/login").prepared()
        #expect(request.curlCommand(revealingSecrets: true).contains(secret))
        #expect(!request.curlCommand().contains(secret))
        #expect(request.httpMessage().hasSuffix("<\(request.body)>"))
    }

    @Test("shows no credential of parts in a difference")
    func differenceOfParts() throws {
        let other = try api.post(.text("other"), to: "/login").prepared()
        for photo in [Data("photo".utf8), Data([0xFF, 0])] {
            let parts = Multipart([.field("user", "ada"), .data("photo", photo), .field("password", secret)])
            let request = try api.post(.multipart(parts, boundary: { "X" }), to: "/login").prepared()
            let difference = "\(request.difference(from: other))"
            #expect(difference.contains("body: ada\r\n"))
            #expect(!difference.contains(secret))
            #expect(!difference.contains(Data(request.body.data ?? Data()).base64EncodedString()))
            let wrong = Multipart([.field("user", "ada"), .data("photo", photo), .field("password", "wrong")])
            let changed = try api.post(.multipart(wrong, boundary: { "X" }), to: "/login").prepared()
            #expect("\(request.difference(from: changed))".contains("body: <redacted>"))
        }
    }

    @Test("is as it was where there is nothing to hide")
    func unchanged() throws {
        for body in [#"{ "b":1.50, "a":"\u00e9" }"#, "password=1 of text", "{", ""] {
            let request = try api.post(.text(body), to: "/").prepared()
            #expect(request.httpMessage() == request.httpMessage(revealingSecrets: true))
        }
    }
}
