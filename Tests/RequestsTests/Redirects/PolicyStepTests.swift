import RequestsTestSupport
import Testing

@testable import Requests

@Suite("The steps of policies", .timeLimit(.minutes(5)))
struct PolicyStepTests {
    private func head(_ status: Int, _ location: String? = nil, url: RequestURL? = nil) throws -> ResponseHead {
        let header = Header(location.map { [Field(name: .location, value: $0)] } ?? [])
        return try ResponseHead(statusCode: status, header: header, url: url ?? RequestURL("https://a.example/old"))
    }

    private func next(_ request: PreparedRequest, after head: ResponseHead) throws -> PreparedRequest {
        guard case .follow(let next) = RedirectPolicy.follow().step(after: head, to: request) else {
            throw CancellationError()
        }
        return next
    }

    @Test("A redirect keeps secrets of the URL hidden, those that authentication added included")
    func secretsOfURL() throws {
        var request = try PreparedRequest.test()
        request.url.hideValues(of: ["own"])
        var sent = try RequestURL("https://a.example/?added=c4nary")
        sent.hideValues(of: ["added"])
        let next = try next(request, after: head(302, "/?own=c4nary&added=c4nary", url: sent))
        #expect(!"\(next.url)".contains("c4nary"))
        #expect(next.url.text.contains("c4nary"))
    }

    @Test("A removed body takes the fields that describe it along")
    func removedBody() throws {
        let names: [Field.Name] = [
            "Content-Type", "Content-X", "Transfer-Encoding", "Expect", "Trailer", "Digest", "Last-Modified",
        ]
        let header = Header((names + ["Accept"]).map { Field(name: $0, value: "x") })
        var request = try PreparedRequest.test(.post, body: .data(Data([1])))
        // A transport rejects some of them.
        request.header = header
        #expect(try next(request, after: head(303, "/new")).header.map(\.name) == ["Accept"])
        #expect(try next(request, after: head(307, "/new")).header.count == 8)
    }

    @Test(
        "Credentials, however they are marked, and `Host` stay at their origin",
        arguments: ["/new", "https://b.example/"]
    )
    func unmarked(location: String) throws {
        let names: [Field.Name] = [.authorization, .proxyAuthorization, .cookie, .host, "Accept"]
        // Marked so that logs show them.
        let header = Header(names.map { Field(name: $0, value: "x").sensitive(false) })
        let next = try next(.test(.get, header), after: head(302, location))
        #expect(next.header.map(\.name) == (location == "/new" ? names : ["Accept"]))
    }

    @Test("A move can count as one to another origin although the URL is at the first one")
    func declaredMove() throws {
        var request = try PreparedRequest.test(.get, [.authorization("x")])
        request.url.hideValues(of: ["own"])
        let url = try RequestURL("https://a.example/2?own=c4nary")
        let mayBeSent = request.move(to: url)
        #expect(mayBeSent)
        #expect(!"\(request.url)".contains("c4nary"))
        #expect(request.header.contains(.authorization))
        let mayBeSentAway = request.move(to: url, isAway: true)
        #expect(mayBeSentAway, "the body is empty")
        #expect(request.header.isEmpty)
    }

    @Test("A move to another origin removes sensitive trailers, and keeps the others")
    func trailers() throws {
        let trailers: Header = [
            Field(name: "X-Checksum", value: "1"), Field(name: "X-Token", value: "s3cret"),
            Field(name: "X-Mine", value: "s3cret").sensitive(),
        ]
        let body = RequestBody.chunks(AsyncStream<Data> { $0.finish() }, isReplayable: true) { trailers }
        for (url, expected) in [("https://a.example/2", 3), ("https://b.example/", 1)] {
            var request = try PreparedRequest.test(.post, body: body)
            let mayBeSent = request.move(to: try RequestURL(url), sendsBody: true)
            #expect(mayBeSent)
            #expect(try request.body.trailers?().count == expected)
        }
    }

    @Test("A redirect forgets the template of the endpoint, and a move within the origin doesn't")
    func template() throws {
        var request = try BaseURL("https://a.example").get(.none, from: "/users/\(7)").prepared()
        #expect(try next(request, after: head(302, "/other")).template == nil)
        _ = request.move(to: try RequestURL("https://a.example/users/8"))
        #expect(request.template == "/users/{}")
        _ = request.move(to: try RequestURL("https://b.example/users/8"))
        #expect(request.template == nil)
    }
}
