import Requests
import RequestsSchemes
import Testing

/// The examples are from RFC 6570 §1.2, §2.4 and §3.2.
@Suite("URI templates", .timeLimit(.minutes(5)))
struct URITemplateTests {
    private let variables: [String: URITemplate.Value] = [
        "count": ["one", "two", "three"], "dom": ["example", "com"], "dub": "me/too", "hello": "Hello World!",
        "half": "50%", "var": "value", "who": "fred", "base": "http://example.com/home/", "path": "/foo/bar",
        "list": ["red", "green", "blue"], "keys": ["semi": ";", "dot": ".", "comma": ","], "v": 6, "x": 1024, "y": 768,
        "empty": "", "empty_keys": .pairs([]), "undef": nil,
    ]

    @Test(
        "templates expand as in RFC 6570",
        arguments: [
            ("{count}", "one,two,three"), ("{count*}", "one,two,three"), ("{/count}", "/one,two,three"),
            ("{/count*}", "/one/two/three"), ("{;count}", ";count=one,two,three"),
            ("{;count*}", ";count=one;count=two;count=three"), ("{?count}", "?count=one,two,three"),
            ("{?count*}", "?count=one&count=two&count=three"), ("{&count*}", "&count=one&count=two&count=three"),
            ("{var}", "value"), ("{hello}", "Hello%20World%21"), ("{half}", "50%25"), ("O{empty}X", "OX"),
            ("O{undef}X", "OX"), ("{x,y}", "1024,768"), ("{x,hello,y}", "1024,Hello%20World%21,768"),
            ("?{x,empty}", "?1024,"), ("?{x,undef}", "?1024"), ("?{undef,y}", "?768"), ("{var:3}", "val"),
            ("{var:30}", "value"), ("{list}", "red,green,blue"), ("{list*}", "red,green,blue"),
            ("{keys}", "semi,%3B,dot,.,comma,%2C"), ("{keys*}", "semi=%3B,dot=.,comma=%2C"), ("{+var}", "value"),
            ("{+hello}", "Hello%20World!"), ("{+half}", "50%25"),
            ("{base}index", "http%3A%2F%2Fexample.com%2Fhome%2Findex"),
            ("{+base}index", "http://example.com/home/index"), ("O{+empty}X", "OX"), ("{+path}/here", "/foo/bar/here"),
            ("here?ref={+path}", "here?ref=/foo/bar"), ("up{+path}{var}/here", "up/foo/barvalue/here"),
            ("{+x,hello,y}", "1024,Hello%20World!,768"), ("{+path,x}/here", "/foo/bar,1024/here"),
            ("{+path:6}/here", "/foo/b/here"), ("{+list}", "red,green,blue"), ("{+keys}", "semi,;,dot,.,comma,,"),
            ("{+keys*}", "semi=;,dot=.,comma=,"), ("{#var}", "#value"), ("{#hello}", "#Hello%20World!"),
            ("foo{#empty}", "foo#"), ("foo{#undef}", "foo"), ("{#x,hello,y}", "#1024,Hello%20World!,768"),
            ("{#path,x}/here", "#/foo/bar,1024/here"), ("{#keys*}", "#semi=;,dot=.,comma=,"), ("{.who}", ".fred"),
            ("{.who,who}", ".fred.fred"), ("{.half,who}", ".50%25.fred"), ("www{.dom*}", "www.example.com"),
            ("X{.var:3}", "X.val"), ("X{.empty}", "X."), ("X{.undef}", "X"), ("X{.list}", "X.red,green,blue"),
            ("X{.list*}", "X.red.green.blue"), ("X{.keys*}", "X.semi=%3B.dot=..comma=%2C"), ("X{.empty_keys}", "X"),
            ("{/who,who}", "/fred/fred"), ("{/half,who}", "/50%25/fred"), ("{/who,dub}", "/fred/me%2Ftoo"),
            ("{/var,empty}", "/value/"), ("{/var,undef}", "/value"), ("{/var:1,var}", "/v/value"),
            ("{/list*,path:4}", "/red/green/blue/%2Ffoo"), ("{/keys*}", "/semi=%3B/dot=./comma=%2C"),
            ("{;who}", ";who=fred"),
            ("{;half}", ";half=50%25"), ("{;empty}", ";empty"), ("{;v,empty,who}", ";v=6;empty;who=fred"),
            ("{;v,undef,who}", ";v=6;who=fred"), ("{;hello:5}", ";hello=Hello"),
            ("{;list*}", ";list=red;list=green;list=blue"),
            ("{;keys}", ";keys=semi,%3B,dot,.,comma,%2C"), ("{;keys*}", ";semi=%3B;dot=.;comma=%2C"),
            ("{?who}", "?who=fred"),
            ("{?x,y,empty}", "?x=1024&y=768&empty="), ("{?x,y,undef}", "?x=1024&y=768"), ("{?var:3}", "?var=val"),
            ("{?list}", "?list=red,green,blue"), ("{?keys*}", "?semi=%3B&dot=.&comma=%2C"),
            ("?fixed=yes{&x}", "?fixed=yes&x=1024"),
            ("{&x,y,empty}", "&x=1024&y=768&empty="), ("{&list*}", "&list=red&list=green&list=blue"),
            ("", ""), ("a b", "a%20b"), ("%20{var}é", "%20value%C3%A9"), ("{missing}", ""),
        ]
    )
    func expansion(template: String, expected: String) throws {
        #expect(try URITemplate(template).expanded(with: variables) == expected)
    }

    @Test(
        "a prefix counts characters and doesn't split them",
        arguments: [("{v:1}", "%C3%BC"), ("{v:2}", "%C3%BC%F0%9F%98%80")]
    )
    func prefix(template: String, expected: String) throws {
        #expect(try URITemplate(template).expanded(with: ["v": "ü😀x"]) == expected)
    }

    @Test(
        "an invalid template throws an error that shows the expression",
        arguments: [
            "{/id*", "/id*}", "{}", "{/?id}", "{var:prefix}", "{hello:2*}", "{??hello}", "{!hello}", "{with space}",
            "{ leading_space}", "{trailing_space }", "{=path}", "{$var}", "{|var*}", "{*keys?}", "{?empty=default,var}",
            "{var}{-prefix|/-/|var}", "?q={searchTerms}&amp;c={example:color?}", "x{?empty|foo=none}", "/h{#hello+}",
            "/h#{hello+}", "?{-join|&|var,list}", "/people/{~thing}", "/{default-graph-uri}",
            "/sparql{?query,default-graph-uri}", "/sparql{?query){&default-graph-uri*}", "/resolution{?x, y}",
            "{var:0}",
            "{var:10000}", "{var:}", "{a,,b}", "{,a}", "{.}", "{a..b}", "{%2}", "{{a}}",
        ]
    )
    func invalid(template: String) {
        let error = #expect(throws: RequestError.self) { try URITemplate(template) }
        #expect(error?.message.hasPrefix("The template expression ") == true)
    }

    @Test(
        "an unbalanced brace throws an error that shows its position",
        arguments: [
            ("/x/{id", "id", "at “{id” has no closing brace"), ("/x/id}/y", "/y", "at “}/y” has no opening brace"),
        ]
    )
    func unbalanced(template: String, expression: String, words: String) {
        let error = #expect(throws: RequestError.self) { try URITemplate(template) }
        #expect(error?.subject == expression)
        #expect(error?.message == "The template expression \(words).")
    }

    @Test("a prefix of a value that isn't a string throws", arguments: ["{keys:1}", "{+keys:1}", "{list:1}"])
    func prefixOfList(template: String) throws {
        let template = try URITemplate(template)
        #expect(throws: RequestError.self) { try template.expanded(with: variables) }
    }

    @Test(
        "RFC 6570 §2.4.1: a prefix counts an escaped character as one, if escapes are kept",
        arguments: [
            ("{+v:1}", "%41bc", "%41"), ("{+v:2}", "a%20b", "a%20"), ("{#v:2}", "a%20b", "#a%20"),
            ("{+v:1}", "%C3%A9b", "%C3%A9"), ("{+v:2}", "%c3%a9b", "%c3%a9b"),
            ("{+v:1}", "%F0%9F%A6%8Ab", "%F0%9F%A6%8A"),
            ("{+v:2}", "%A9%A9%A9", "%A9%A9"), ("{+v:2}", "%C3%41%42", "%C3%41"), ("{+v:2}", "%zz", "%25z"),
            ("{+v:1}", "%", "%25"), ("{+v:3}", "%4", "%254"), ("{v:2}", "a%20b", "a%25"), ("{+v:9}", "a%20b", "a%20b"),
        ]
    )
    func prefixOfEscapes(template: String, value: String, expected: String) throws {
        #expect(try URITemplate(template).expanded(with: ["v": .string(value)]) == expected)
    }
}
