import Foundation
import Requests
import RequestsTesting
import Testing

@Suite("Redaction of bodies", .timeLimit(.minutes(5)))
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

    @Test("credentials in forms and JSON are redacted")
    func forms() throws {
        try expectHidden(.form(["user": "ada", "refresh_token": .init(secret)]))
        try expectHidden(.json(object: ["user": "ada", "nested": ["password": secret]]))
        try expectHidden(.json(object: ["user": "ada", "keys": [["token": ["value": secret]]]]))
    }

    @Test("credentials in multipart bodies are redacted, with and without files")
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

    @Test("a multipart body with a part that isn't text shows no credentials")
    func binaryParts() throws {
        let photo = Multipart.Part.field("photo", data: Data([0xFF, 0]))
        let parts = Multipart([.field("user", "ada"), photo, .field("password", secret)])
        let request = try api.post(.multipart(parts), to: "/login").prepared()
        #expect(request.curlCommand(revealingSecrets: true).contains(secret))
        #expect(!request.curlCommand().contains(secret))
        #expect(request.httpMessage().hasSuffix("<\(request.body)>"))
    }

    @Test("a difference of multipart bodies shows no credentials")
    func differenceOfParts() throws {
        let other = try api.post(.text("other"), to: "/login").prepared()
        for photo in [Data("photo".utf8), Data([0xFF, 0])] {
            let parts = Multipart([.field("user", "ada"), .field("photo", data: photo), .field("password", secret)])
            let request = try api.post(.multipart(parts), to: "/login").prepared()
            let difference = "\(request.difference(from: other))"
            #expect(difference.contains("body: ada\r\n"))
            #expect(!difference.contains(secret))
            #expect(!difference.contains(Data(request.body.data ?? Data()).base64EncodedString()))
            let wrong = Multipart([.field("user", "ada"), .field("photo", data: photo), .field("password", "wrong")])
            let changed = try api.post(.multipart(wrong), to: "/login").prepared()
            #expect("\(request.difference(from: changed))".contains("body: <redacted>"))
        }
    }

    @Test("a body without credentials is printed unchanged")
    func unchanged() throws {
        for body in [#"{ "b":1.50, "a":"\u00e9" }"#, "password=1 of text", "{", ""] {
            let request = try api.post(.text(body), to: "/").prepared()
            #expect(request.httpMessage() == request.httpMessage(revealingSecrets: true))
        }
    }
}
