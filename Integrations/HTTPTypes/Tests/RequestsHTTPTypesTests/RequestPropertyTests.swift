import HTTPTypes
import Requests
import RequestsHTTPTypes
import Testing

@Suite("The conversion of random requests", .timeLimit(.minutes(5)))
struct RequestPropertyTests {
    @Test("Every request keeps its method, URL and fields as an HTTPRequest, in order and with repeated names")
    func forward() throws {
        var sample = Sample(seed: 1)
        for _ in 0..<5000 {
            let request = try sample.request()
            let converted = try request.httpRequest()
            #expect(converted.method.rawValue == request.method.rawValue)
            #expect(converted.scheme == request.url.scheme)
            #expect(converted.authority == request.url.authority)
            #expect(converted.path == request.url.target)
            #expect(converted.headerFields.map { Line($0) } == request.header.map { Line($0) })
        }
    }

    @Test("A request that becomes an HTTPRequest and a request again is equal")
    func forthAndBack() throws {
        var sample = Sample(seed: 2)
        for _ in 0..<5000 {
            let request = try sample.request()
            let again = try PreparedRequest(request.httpRequest())
            #expect(again == request)
            #expect(again.header.map { Line($0) } == request.header.map { Line($0) })
        }
    }

    @Test("An HTTPRequest that becomes a request and an HTTPRequest again is equal")
    func backAndForth() throws {
        var sample = Sample(seed: 3)
        for _ in 0..<5000 {
            let url = try sample.url()
            let original = HTTPRequest(url: url, fields: try sample.httpFields())
            let request = try PreparedRequest(original)
            let again = try request.httpRequest()
            #expect(again == HTTPRequest(url: url, fields: again.headerFields))
            #expect(again.headerFields.map(\.name.rawName) == original.headerFields.map(\.name.rawName))
            for (field, before) in zip(again.headerFields, original.headerFields) {
                #expect(Line(field).value == Line(before).value)
                let isSecret = Line(before).isSecret || Field.Name(before.name.rawName).isSensitive
                #expect(Line(field).isSecret == isSecret)
            }
        }
    }

    @Test("Every field is kept as it is, or is an error if it couldn't be sent")
    func hostileFields() throws {
        var sample = Sample(seed: 6)
        var rejected = 0
        let url = try RequestURL("https://a.example/p")
        for _ in 0..<5000 {
            let name = sample.chance(3, of: 4) ? "X-A" : sample.hostileText()
            let header = Header([Field(name: Field.Name(name), value: sample.hostileText())])
            let fields = try? header.httpFields()
            #expect((fields != nil) == ((try? PreparedRequest(url: url, header: header)) != nil))
            if let fields { #expect(fields.map { Line($0) } == header.map { Line($0) }) } else { rejected += 1 }
        }
        #expect((1000..<4500).contains(rejected))
    }

    @Test("No bytes of a value change: a value is sent as it is, or it is an error")
    func bytes() throws {
        var sample = Sample(seed: 4)
        var rejected = 0
        let url = try RequestURL("https://a.example/p")
        for _ in 0..<5000 {
            let bytes = sample.bytes()
            let fields = HTTPFields([HTTPField(name: .accept, lenientValue: bytes)])
            do {
                let sent = try #require(PreparedRequest(HTTPRequest(url: url, fields: fields)).header[.accept])
                #expect(Array(sent.utf8) == bytes.trimming { $0 == 0x20 || $0 == 0x09 })
            } catch let error as RequestError {
                #expect(error.code == .invalidFieldValue)
                #expect(error.subject == "Accept")
                rejected += 1
            }
        }
        #expect((1000..<4500).contains(rejected))
    }

    @Test("A part of an HTTPRequest never becomes another part of the URL")
    func parts() throws {
        var sample = Sample(seed: 5)
        var accepted = 0
        for _ in 0..<20_000 {
            let scheme = sample.chance(3, of: 4) ? "http" : sample.hostileText()
            let authority = sample.chance(1, of: 2) ? "a.example" : sample.hostileText()
            // HTTPField trims and replaces characters, so the parts are read again.
            let path = "/" + sample.hostileText()
            let original = HTTPRequest(method: .get, scheme: scheme, authority: authority, path: path)
            guard let url = try? PreparedRequest(original).url else { continue }
            accepted += 1
            let sent = try #require(original.path)
            #expect(url.scheme == original.scheme?.lowercased())
            #expect(try url.authority == RequestURL("http://\(original.authority ?? "")").authority)
            #expect(url.target.filter { $0 == "/" }.count == sent.filter { $0 == "/" }.count)
            #expect(url.target.contains("?") == sent.contains("?"))
        }
        #expect(accepted > 1000)
    }
}

extension HTTPRequest {
    fileprivate init(url: RequestURL, fields: HTTPFields) {
        self.init(method: .post, scheme: url.scheme, authority: url.authority, path: url.target, headerFields: fields)
    }
}

extension [UInt8] {
    fileprivate func trimming(_ isTrimmed: (UInt8) -> Bool) -> [UInt8] {
        Array(drop(while: isTrimmed).reversed().drop(while: isTrimmed).reversed())
    }
}
