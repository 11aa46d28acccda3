import Foundation
import HTTPTypes
import Requests
import RequestsHTTPTypes
import Testing

@Suite("The conversion of responses", .timeLimit(.minutes(5)))
struct ResponseConversionTests {
    private let url = "https://a.example/p"

    @Test("A head that becomes an HTTPResponse and a head again is equal")
    func forthAndBack() throws {
        var sample = Sample(seed: 11)
        let url = try RequestURL(url)
        for index in 0..<5000 {
            let head = try ResponseHead(statusCode: 100 + index % 900, header: sample.header(), url: url)
            let converted = try head.httpResponse()
            #expect(converted.status.code == head.statusCode)
            #expect(converted.headerFields.map { Line($0) } == head.header.map { Line($0) })
            let again = try ResponseHead(converted, url: url)
            #expect(again == head)
            #expect(again.header.map { Line($0) } == head.header.map { Line($0) })
        }
    }

    @Test("An HTTPResponse that becomes a head and an HTTPResponse again is equal")
    func backAndForth() throws {
        var sample = Sample(seed: 12)
        for index in 0..<5000 {
            let status = HTTPResponse.Status(code: 100 + index % 900, reasonPhrase: "Reason")
            let original = HTTPResponse(status: status, headerFields: try sample.httpFields())
            let again = try ResponseHead(original, url: RequestURL(url)).httpResponse()
            #expect(again.status == original.status)
            #expect(again.headerFields.map(\.name.rawName) == original.headerFields.map(\.name.rawName))
            #expect(again.headerFields.map { Line($0).value } == original.headerFields.map { Line($0).value })
        }
    }

    @Test("A value that isn't UTF-8 is read as Latin-1")
    func latin1() throws {
        let fields = HTTPFields([HTTPField(name: .server, value: [0x63, 0x61, 0x66, 0xE9])])
        let head = try ResponseHead(HTTPResponse(status: .ok, headerFields: fields), url: RequestURL(url))
        #expect(head.header["Server"] == "café")
    }

    @Test("The URL and the version are those of the arguments")
    func urlAndVersion() throws {
        let head = try ResponseHead(HTTPResponse(status: .ok), url: RequestURL(url), httpVersion: .http2)
        #expect(head.url.text == url)
        #expect(head.httpVersion == .http2)
    }

    @Test("A control character in a value is an error, not a space")
    func controlCharacters() throws {
        let header = Header([Field(name: "X-A", value: "a\u{1B}b")])
        let head = try ResponseHead(statusCode: 200, header: header, url: RequestURL(url))
        let error = #expect(throws: RequestError.self) { try head.httpResponse() }
        #expect(error?.code == .invalidFieldValue)
        #expect(error?.subject == "X-A")
    }

    @Test("A name that isn't a token is an error")
    func invalidName() throws {
        let header = Header([Field(name: ":status", value: "200")])
        let head = try ResponseHead(statusCode: 200, header: header, url: RequestURL(url))
        let error = #expect(throws: RequestError.self) { try head.httpResponse() }
        #expect(error?.code == .invalidFieldName)
    }

    @Test("A status that isn't one is an error", arguments: [0, 99])
    func invalidStatus(code: Int) throws {
        let response = HTTPResponse(status: .init(code: code))
        let error = #expect(throws: RequestError.self) { try ResponseHead(response, url: RequestURL(url)) }
        #expect(error?.code == .invalidStatusCode)
    }
}
