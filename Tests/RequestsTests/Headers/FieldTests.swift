import Requests
import Testing

@Suite("Header fields", .timeLimit(.minutes(5)))
struct FieldTests {
    @Test(
        "spaces and tabs around a value are removed",
        arguments: [
            ("en", "en"), (" en", "en"), ("en\t", "en"), (" \t en, de \t ", "en, de"), ("", ""), (" ", ""),
            ("\t \t", ""),
            ("a  b", "a  b"), ("\u{A0}en", "\u{A0}en"), ("en\n", "en\n"), (" \r\n ", "\r\n"),
            ("\u{301} a", "\u{301} a"),
        ]
    )
    func trimming(written: String, value: String) {
        #expect(Array(Field(name: "X", value: written).value.utf8) == Array(value.utf8))
    }

    @Test("`==` compares fields as they are on the wire: it ignores the case of the name and the sensitive mark")
    func equality() {
        let field = Field(name: "X-Key", value: "a")
        #expect(field == Field(name: "x-key", value: " a "))
        #expect(field == field.sensitive())
        #expect(Set([field, Field(name: "X-KEY", value: "a"), field.sensitive()]).count == 1)
        #expect(field != Field(name: "X-Key", value: "A"))
        #expect(field != Field(name: "X-Key-2", value: "a"))
    }

    @Test("fields with canonically equivalent values of different bytes aren't equal")
    func bytewiseEquality() {
        #expect(Field(name: "X", value: "\u{E9}") != Field(name: "X", value: "e\u{301}"))
    }

    @Test(
        "a field whose name carries credentials is sensitive, however it is spelled",
        arguments: [
            "Authorization", "authorization", "PROXY-AUTHORIZATION", "Cookie", "Set-Cookie", "X-Api-Key", "Api-Key",
            "X-Auth-Token", "X-Access-Token", "X-Amz-Security-Token", "Private-Token", "X-CSRF-Token", "X-Xsrf-Token",
            "Authentication-Info", "Proxy-Authentication-Info",
        ] as [Field.Name]
    )
    func sensitiveNames(name: Field.Name) {
        let field = Field(name: name, value: "s3cret")
        #expect(field.isSensitive)
        #expect(field.description == "\(name): REDACTED")
    }

    @Test("any field can be marked as sensitive, and copies keep the mark")
    func mark() {
        let field = Field(name: "X-Tenant", value: "s3cret")
        #expect(!field.isSensitive)
        #expect(field.sensitive().isSensitive)
        #expect(!field.isSensitive, "marking makes a copy")
        let header: Header = [field.sensitive()]
        #expect(header[0].isSensitive)
    }

    @Test("a description is a header line, which shows the values of registered, harmless names only")
    func description() {
        #expect(Field(name: "accept-LANGUAGE", value: "a, b").description == "accept-LANGUAGE: a, b")
        #expect(Field(name: "X-Unknown", value: "a, b").description == "X-Unknown: REDACTED")
        #expect(Field(name: "X-Unknown", value: "a, b").sensitive(false).description == "X-Unknown: a, b")
        #expect(Field(name: "X-Session", value: "s3cret").sensitive().description == "X-Session: REDACTED")
    }

    @Test("printing a field never shows a sensitive value")
    func printing() {
        let field = Field.authorization("Bearer s3cret")
        let texts = [
            "\(field)", String(reflecting: field), "\([field])", "\(Optional(field) as Any)", "\((field, 1))",
            "\(["a": field])",
        ]
        for text in texts {
            #expect(!text.contains("s3cret"))
            #expect(text.contains("REDACTED"))
        }
    }

    @Test(
        "the standard fields have the specification's names",
        arguments: [
            (Field.accept(.json, .plainText), "Accept: application/json, text/plain"),
            (.acceptLanguage("da, en-GB;q=0.8"), "Accept-Language: da, en-GB;q=0.8"),
            (.contentType(.json), "Content-Type: application/json"),
            (.userAgent("example/1"), "User-Agent: example/1"),
        ]
    )
    func standard(field: Field, line: String) {
        #expect(field.description == line)
    }

    @Test("Authorization contains the given credentials")
    func authorization() {
        #expect(Field.authorization("Basic eA==").name == .authorization)
        #expect(Field.authorization("Basic eA==").value == "Basic eA==")
    }
}
