#if FullFoundation
import Foundation
import Requests
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("Conversion of response heads from and to HTTPURLResponse", .timeLimit(.minutes(5)))
struct HTTPURLResponseTests {
    @Test("A head becomes a response with its status, URL and fields")
    func toFoundation() throws {
        let head = try ResponseHead(
            statusCode: 404,
            header: [.contentType(.json), Field(name: "X-A", value: "1"), Field(name: "x-a", value: "2")],
            url: RequestURL("https://h/a?b=%2F"),
            httpVersion: .http1_1
        )
        let response = try head.httpURLResponse()
        #expect(response.statusCode == 404)
        #expect(response.url?.absoluteString == "https://h/a?b=%2F")
        #expect(response.value(forHTTPHeaderField: "content-type") == "application/json")
        #expect(response.value(forHTTPHeaderField: "X-A") == "1,2")
        #expect(response.mimeType == "application/json")
    }

    @Test("A response becomes a head with fields sorted by name")
    func fromFoundation() throws {
        let url = try #require(URL(string: "https://h/a?b"))
        let fields = ["X-B": "2", "X-A": "1", "Accept": "*/*"]
        let response = try #require(
            HTTPURLResponse(url: url, statusCode: 204, httpVersion: "HTTP/1.1", headerFields: fields)
        )
        let head = try ResponseHead(response)
        #expect(head.statusCode == 204)
        #expect(head.url.text == "https://h/a?b")
        #expect(head.header.map { $0.line(revealingSecrets: true) } == ["Accept: */*", "X-A: 1", "X-B: 2"])
    }

    @Test("A head survives both conversions", arguments: [100, 200, 301, 418, 599, 999])
    func roundTrip(status: Int) throws {
        let header: Header = [.contentType(.plainText), Field(name: "X-A", value: "é, 日本")]
        let head = try ResponseHead(statusCode: status, header: header, url: RequestURL("https://h/%C3%A9"))
        #expect(try ResponseHead(head.httpURLResponse()) == head)
    }

    @Test("All cookies of a head are in the response, and are read back", arguments: ["Set-Cookie", "set-cookie"])
    func cookies(name: String) throws {
        let cookies = ["a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT", "b=2; Path=/", "c=3"]
        let header = Header(cookies.map { Field(name: Field.Name(name), value: $0) } + [.contentType(.json)])
        let head = try ResponseHead(statusCode: 200, header: header, url: RequestURL("https://h.example/"))
        let response = try head.httpURLResponse()
        let fields = try #require(response.allHeaderFields as? [String: String])
        let url = try #require(response.url)
        #expect(HTTPCookie.cookies(withResponseHeaderFields: fields, for: url).map(\.name).sorted() == ["a", "b", "c"])
        #expect(try ResponseHead(response).header[values: .setCookie] == cookies)
    }

    @Test("A response without an HTTP URL or with an invalid status throws")
    func refused() throws {
        let file = try #require(
            HTTPURLResponse(url: URL(filePath: "/x"), statusCode: 200, httpVersion: nil, headerFields: nil)
        )
        #expect(throws: RequestError.self) { try ResponseHead(file) }
        let url = try #require(URL(string: "https://h"))
        let odd = try #require(HTTPURLResponse(url: url, statusCode: 0, httpVersion: nil, headerFields: nil))
        #expect(throws: RequestError.self) { try ResponseHead(odd) }
    }

    @Test(
        "Cookies that Foundation joined are split again",
        arguments: [
            ("a=1; Path=/,b=2; Path=/b", ["a=1; Path=/", "b=2; Path=/b"]),
            ("a=1; Expires=Wed, 21 Oct 2015 07:28:00 GMT, b=2", ["a=1; Expires=Wed, 21 Oct 2015 07:28:00 GMT", "b=2"]),
            ("a=1,2; b", ["a=1,2; b"]), ("a=x,y z=w", ["a=x,y z=w"]), ("a=", ["a="]), (",a=1", ["", "a=1"]),
        ]
    )
    func joinedCookies(joined: String, cookies: [String]) throws {
        let url = try #require(URL(string: "https://h/"))
        let response = try #require(
            HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: ["Set-Cookie": joined])
        )
        #expect(try ResponseHead(response).header[values: .setCookie] == cookies)
    }
}
#endif
