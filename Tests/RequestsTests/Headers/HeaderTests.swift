import Requests
import Testing

@Suite("Headers", .timeLimit(.minutes(5)))
struct HeaderTests {
    private let languages: Header = [
        .acceptLanguage("en"), Field(name: "X-A", value: "1"), Field(name: "accept-language", value: "de"),
    ]

    @Test("a header keeps the order of fields and repeated names")
    func order() {
        #expect(languages.map(\.value) == ["en", "1", "de"])
        #expect(languages.map(\.name.rawValue) == ["Accept-Language", "X-A", "accept-language"])
        #expect(languages.count == 3)
        #expect(languages != Header(Array(languages.reversed())))
    }

    @Test("a header can be created from a literal, an array and single fields")
    func making() {
        let fields = [Field(name: "A", value: "1"), Field(name: "A", value: "2")]
        #expect(Header(fields) == Header(fields[0], fields[1]))
        #expect(Header(fields) == [fields[0], fields[1]])
        #expect(Header.empty.isEmpty)
        #expect(Header() == .empty)
        #expect(Header(["B": "2", "A": "1"]) == [fields[0], Field(name: "B", value: "2")])
    }

    @Test("a header from a dictionary literal keeps its order and repeated names")
    func dictionaryLiteral() {
        let header: Header = ["X-B": "2", "X-A": "1", "x-b": "3", .accept: "text/html"]
        #expect(header.map(\.name.rawValue) == ["X-B", "X-A", "x-b", "Accept"])
        #expect(header.map(\.value) == ["2", "1", "3", "text/html"])
        let empty: Header = [:]
        #expect(empty == .empty)
        #expect(Header([:]).isEmpty && Header([]).isEmpty)
        let secret: Header = ["Authorization": "s3cret"]
        #expect(!"\(secret)".contains("s3cret"))
    }

    @Test("`add` appends, and fields of the same name stay")
    func add() {
        var header = languages
        header.add(.acceptLanguage("fr"))
        #expect(header.map(\.value) == ["en", "1", "de", "fr"])
    }

    @Test("`set` replaces all fields of the name at the position of the first")
    func set() {
        var header = languages
        header.set(Field(name: "ACCEPT-LANGUAGE", value: "fr"))
        #expect(header == [Field(name: "ACCEPT-LANGUAGE", value: "fr"), Field(name: "X-A", value: "1")])
        #expect(header.map(\.name.rawValue) == ["ACCEPT-LANGUAGE", "X-A"])
    }

    @Test("`set` appends a field if there is none of its name")
    func setNew() {
        var header = languages
        header.set(Field(name: "X-B", value: "2"))
        #expect(header.map(\.value) == ["en", "1", "de", "2"])
    }

    @Test("`remove` removes all fields of a name and returns their joined value")
    func remove() {
        var header = languages
        #expect(header.remove("ACCEPT-language") == Field(name: .acceptLanguage, value: "en,de"))
        #expect(header == [Field(name: "X-A", value: "1")])
        #expect(header.remove(.acceptLanguage) == nil)
        #expect(header == [Field(name: "X-A", value: "1")])
    }

    @Test("`contains` ignores the case of the name")
    func contains() {
        #expect(languages.contains("ACCEPT-LANGUAGE" as Field.Name))
        #expect(languages.contains("x-a" as Field.Name))
        #expect(!languages.contains(.accept))
        #expect(!Header.empty.contains(.accept))
    }

    @Test("`header[name]` joins repeated fields with a comma, and is nil if there are none")
    func joining() {
        #expect(languages[.acceptLanguage] == "en,de")
        #expect(languages["X-A"] == "1")
        #expect(languages[.accept] == nil)
        #expect(Header([Field(name: "X", value: "")])["X"]?.isEmpty == true)
        #expect(Header([Field(name: "X", value: ""), Field(name: "X", value: "a")])["X"] == ",a")
    }

    @Test("`header[values: name]` lists the values of all fields of the name in order")
    func values() {
        #expect(languages[values: "ACCEPT-LANGUAGE"] == ["en", "de"])
        #expect(languages[values: .accept].isEmpty)
    }

    @Test("`header[name] = value` replaces all fields of the name, and nil removes them")
    func subscriptSetter() {
        var header = languages
        header[.acceptLanguage] = "fr"
        #expect(header.map(\.value) == ["fr", "1"])
        header[.acceptLanguage] = nil
        #expect(header.map(\.value) == ["1"])
        header[.accept] = "*/*"
        #expect(header.map(\.value) == ["1", "*/*"])
    }

    @Test("`dictionaryValue` joins repeated fields under the first spelling of their name")
    func dictionary() {
        #expect(languages.dictionaryValue == ["Accept-Language": "en,de", "X-A": "1"])
        #expect(Header.empty.dictionaryValue.isEmpty)
    }

    @Test("`Set-Cookie` is never joined: `[name]` and `dictionaryValue` give the first value")
    func setCookie() {
        let header: Header = [
            Field(name: .setCookie, value: "a=1; Expires=Wed, 01 Jan 2031 00:00:00 GMT"),
            Field(name: "set-cookie", value: "b=2"),
        ]
        #expect(header[.setCookie] == "a=1; Expires=Wed, 01 Jan 2031 00:00:00 GMT")
        #expect(header.dictionaryValue == ["Set-Cookie": "a=1; Expires=Wed, 01 Jan 2031 00:00:00 GMT"])
        #expect(header[values: .setCookie].count == 2)
    }

    @Test("repeated `Cookie` fields are joined with a semicolon")
    func cookie() throws {
        let header: Header = [Field(name: .cookie, value: "a=1; b=2"), Field(name: "cookie", value: "c=3")]
        #expect(header[.cookie] == "a=1; b=2; c=3")
        #expect(header.dictionaryValue == ["Cookie": "a=1; b=2; c=3"])
    }

    @Test("a field that replaces a sensitive one is sensitive, and so is a removed one")
    func keptMark() throws {
        var header: Header = [
            Field(name: "X-Own", value: "a").sensitive(), Field(name: "x-own", value: "b"),
            Field(name: "X", value: "c").sensitive(false),
        ]
        header["X-OWN"] = "s3cret"
        header["X"] = "d"
        #expect(header.description == "X-OWN: REDACTED\nX: d")
        header.add(Field(name: "X-Own", value: "plain"))
        #expect(header.remove("X-Own")?.isSensitive == true)
        #expect(header.remove("X")?.isSensitive == false)
        header["X-Own"] = "new"
        #expect(!header[0].isSensitive)
    }

    @Test("merging replaces the fields of names in the other header and keeps the rest in order")
    func merging() {
        let other: Header = [
            Field(name: "x-a", value: "2"), Field(name: "X-A", value: "3"), Field(name: "X-B", value: "4"),
        ]
        #expect(languages.merging(other).map(\.value) == ["en", "de", "2", "3", "4"])
        #expect(languages.merging(.empty) == languages)
        #expect(Header.empty.merging(languages) == languages)
    }

    @Test("printing a header never shows a sensitive value")
    func printing() {
        let header: Header = [
            .accept(.json), .authorization("s3cret"), Field(name: "X-Own", value: "s3cret").sensitive(),
        ]
        #expect(header.description == "Accept: application/json\nAuthorization: REDACTED\nX-Own: REDACTED")
        #expect(header.debugDescription == header.description)
        #expect(!"\([header]) \(Optional(header) as Any)".contains("s3cret"))
    }

    @Test("A field that can't be sent stays invalid when its value is joined, edited, replaced, moved or merged")
    func keptDefect() throws {
        let cookie = Field.cookie(["theme": "x; admin=1"])
        var joined: Header = [.cookie(["a": "b"]), cookie]
        joined[.cookie] = joined[.cookie]
        var edited: Header = [cookie]
        edited[.cookie]? += "; c=d"
        var moved: Header = [cookie]
        let removed = moved.remove(.cookie)
        moved.add(try #require(removed))
        for header in [joined, edited, moved, Header.empty.merging([cookie]), [cookie.sensitive()]] {
            let error = #expect(throws: RequestError.self) { try header.validate() }
            #expect(error?.subject == "Cookie")
        }
        var mended: Header = [cookie]
        mended.set(.cookie(["theme": "x"]))
        try mended.validate()
    }
}
