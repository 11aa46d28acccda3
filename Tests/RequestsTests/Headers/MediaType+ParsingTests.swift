import Requests
import Testing

@Suite("Parsing of media types", .timeLimit(.minutes(5)))
struct MediaTypeParsingTests {
    @Test(
        "media types are parsed as RFC 9110 defines them",
        arguments: [
            ("text/plain", MediaType(type: "text", subtype: "plain")),
            (
                "Text/HTML;Charset=UTF-8",
                MediaType(type: "text", subtype: "html", parameters: [("charset", "UTF-8")])
            ),
            (
                "a/b+c ; x=\"1;\\\"2\" ;y=z",
                MediaType(type: "a", subtype: "b+c", parameters: [("x", "1;\"2"), ("y", "z")])
            ),
            ("a/b;", MediaType(type: "a", subtype: "b")),
            ("a/b;; c=d", MediaType(type: "a", subtype: "b", parameters: [("c", "d")])),
            ("*/*", MediaType(type: "*", subtype: "*")),
        ]
    )
    func valid(text: String, type: MediaType) {
        #expect(MediaType(text) == type)
        #expect(MediaType(type.rawValue) == type)
    }

    @Test(
        "text that isn't a media type gives nil",
        arguments: [
            "", "text", "text/", "/plain", "a /b", "a/ b", "a/b,c/d", "a/b\"c\"", "a/b=c", "a/bé", ";a/b", ",",
        ]
    )
    func invalid(text: String) {
        #expect(MediaType(text) == nil)
    }
}
