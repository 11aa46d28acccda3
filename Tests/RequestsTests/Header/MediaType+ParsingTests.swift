import Requests
import Testing

@Suite("The text of a media type", .timeLimit(.minutes(5)))
struct MediaTypeParsingTests {
    @Test(
        "is read as RFC 9110 has it",
        arguments: [
            ("text/plain", MediaType(type: "text", subtype: "plain")),
            (
                "Text/HTML;Charset=UTF-8",
                MediaType(type: "text", subtype: "html", parameters: [.init("charset", "UTF-8")])
            ),
            (
                "a/b+c ; x=\"1;\\\"2\" ;y=z",
                MediaType(type: "a", subtype: "b+c", parameters: [.init("x", "1;\"2"), .init("y", "z")])
            ),
            ("a/b;", MediaType(type: "a", subtype: "b")),
            ("a/b;; c=d", MediaType(type: "a", subtype: "b", parameters: [.init("c", "d")])),
            ("*/*", MediaType(type: "*", subtype: "*")),
        ]
    )
    func valid(text: String, type: MediaType) {
        #expect(MediaType(text) == type)
        #expect(MediaType(type.rawValue) == type)
    }

    @Test(
        "that is none gives nil",
        arguments: [
            "", "text", "text/", "/plain", "a/b c", "a/b;c", "a/b;c=", "a/b; c=\"d", "a/b;c=\"d\\", "a /b", "a/b,c/d",
        ]
    )
    func invalid(text: String) {
        #expect(MediaType(text) == nil)
    }
}
