import Foundation
import Requests
import Testing

@Suite("An error of a URL", .timeLimit(.minutes(5)))
struct InvalidRequestURLErrorTests {
    private func failure(of text: String) -> InvalidRequestURLError? {
        #expect(throws: InvalidRequestURLError.self) { try RequestURL(text) }
    }

    @Test(
        "says what is wrong with what",
        arguments: [
            ("ftp://host/", .unsupportedScheme, "ftp", "the scheme “ftp” is not supported; use http or https"),
            ("host/path", .unsupportedScheme, "", "there is no scheme in “host/path”; write an absolute URL"),
            ("", .unsupportedScheme, "", "there is no scheme in “”"),
            ("https:host", .missingHost, "“https:host”", "there is no host in “https:host”"),
            ("https:///path", .missingHost, "“https:///path”", "there is no host in “https:///path”"),
            ("https://a b/", .invalidHost, "a b", "the host “a b” is neither a DNS name nor an IP address"),
            ("https://host:70000/", .invalidPort, "70000", "the port “70000” is not a number between 0 and 65535"),
            ("https://user:s3cret@host/", .userInfo, "<redacted>@host", "a user name or password before “@host”"),
            ("https://host/a/../b", .dotSegment, "..", "the segment “..” in “/a/../b” leads out of its place"),
        ] as [(String, InvalidRequestURLError.Code, String, String)]
    )
    func words(text: String, code: InvalidRequestURLError.Code, culprit: String, message: String) {
        let error = failure(of: text)
        #expect(error?.code == code)
        #expect(error?.culprit == culprit)
        #expect(error?.message.contains(message) == true)
    }

    @Test("is printed as its code and message, everywhere the same")
    func description() throws {
        let error = try #require(failure(of: "ftp://host/"))
        #expect(error.description == "unsupportedScheme: the scheme “ftp” is not supported; use http or https")
        #expect(error.errorDescription == error.description)
        #expect(error.localizedDescription == error.description)
    }

    @Test(
        "tells no secret, wherever in a broken URL it stands",
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
        let shown = failure(of: text).map { "\($0) \($0.culprit) \($0.localizedDescription)" }
        #expect(shown?.contains("s3cret") == false)
        #expect(shown?.contains("77889900") == false)
    }

    @Test(
        "is one line, whatever the URL",
        arguments: [
            "a\nb://host", "https://a\nb/", "https://host:1\n2/", "https://h/\n/../", "\r\n", "https://\u{2028}/",
        ]
    )
    func oneLine(text: String) {
        let error = failure(of: text)
        #expect(error?.message.contains { $0.isNewline } == false)
        #expect(error?.description.contains { $0.isNewline } == false)
    }

    @Test("has a code that is its name")
    func code() {
        #expect(InvalidRequestURLError.Code.dotSegment.description == "dotSegment")
        #expect(InvalidRequestURLError.Code(rawValue: "dotSegment") == .dotSegment)
    }
}
