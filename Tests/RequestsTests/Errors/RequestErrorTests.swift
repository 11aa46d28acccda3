import Foundation
import Requests
import Testing

@Suite("URL errors", .timeLimit(.minutes(5)))
struct RequestErrorTests {
    private func failure(of text: String) -> RequestError? {
        #expect(throws: RequestError.self) { try RequestURL(text) }
    }

    @Test(
        "the error names the part of the URL that is wrong",
        arguments: [
            ("ftp://host/", .unsupportedScheme, "ftp", "The scheme “ftp” isn't supported. Use http or https."),
            ("host/path", .unsupportedScheme, "", "The URL “host/path” has no scheme. Write an absolute URL"),
            ("", .unsupportedScheme, "", "The URL “” has no scheme."),
            ("https:host", .missingHost, "“https:host”", "The URL “https:host” has no host."),
            ("https:///path", .missingHost, "“https:///path”", "The URL “https:///path” has no host."),
            ("https://a b/", .invalidHost, "a b", "The host “a b” is neither a DNS name nor an IP address."),
            ("https://host:70000/", .invalidPort, "70000", "The port “70000” isn't a number between 0 and 65535."),
            ("https://user:s3cret@host/", .userInfo, "REDACTED@host", "a user name or password before “@host”"),
            ("https://host/a/../b", .dotSegment, "..", "The path “/a/../b” contains the dot segment “..”."),
        ] as [(String, RequestError.Code, String, String)]
    )
    func words(text: String, code: RequestError.Code, subject: String, message: String) {
        let error = failure(of: text)
        #expect(error?.code == code)
        #expect(error?.subject == subject)
        #expect(error?.message.contains(message) == true)
    }

    @Test("every description of the error is its code and message")
    func description() throws {
        let error = try #require(failure(of: "ftp://host/"))
        #expect(error.description == "unsupportedScheme: The scheme “ftp” isn't supported. Use http or https.")
        #expect(error.errorDescription == error.description)
        #expect(error.localizedDescription == error.description)
    }

    @Test(
        "the error shows no secret of an invalid URL",
        arguments: [
            "https://user:s3cret@host/", "https://s3cret@host/", "https:user:s3cret@host", "ftp://user:s3cret@host/",
            "//user:s3cret@host/", "https://user:s3cret@a b/", "https://user:s3cret@/", "https:/?token=s3cret",
            "?token=s3cret",
            "example.com?token=s3cret", "example.com?token=s3cret:0", "example.com/?a=b:c&token=s3cret:0",
            "https:?token=s3cret",
            "https://user:s3cret/x@host/", "https://user:s3cret?@host/", "https://user:s3cret#@host/",
            "https://s3cret:x/@host",
            "s3cret:x-oauth-basic@example.com/", "https:user:s3cret@\u{301}host", "example.com#s3cret",
            "https:host?email=a@b&token=s3cret", "example.com?token=a@s3cret", "https:user:x?s3cret@host/",
            "https:user:s3cret?x@host/", "https://user:77889900/x@host/",
            "https:a@user:s3cret?x@host/", "https://user:p@s3cret@host/",
        ]
    )
    func secrets(text: String) {
        let shown = failure(of: text).map { "\($0) \($0.subject) \($0.localizedDescription)" }
        #expect(shown?.contains("s3cret") == false)
        #expect(shown?.contains("77889900") == false)
    }

    @Test(
        "the error is one line, even if the URL contains line breaks",
        arguments: [
            "a\nb://host", "https://a\nb/", "https://host:1\n2/", "https://h/\n/../", "\r\n", "https://\u{2028}/",
        ]
    )
    func oneLine(text: String) {
        let error = failure(of: text)
        #expect(error?.message.contains { $0.isNewline } == false)
        #expect(error?.description.contains { $0.isNewline } == false)
    }

    @Test("the description of a code is its name")
    func code() {
        #expect(RequestError.Code.dotSegment.description == "dotSegment")
        #expect(RequestError.Code(rawValue: "dotSegment") == .dotSegment)
    }
}
