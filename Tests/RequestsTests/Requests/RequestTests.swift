import Foundation
import Requests
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("Requests", .timeLimit(.minutes(5)))
struct RequestTests {
    private let api = BaseURL("https://api.example.com/v1")

    private var full: Request<BaseURL, String> {
        api.post(.text("body"), to: "/a/\("b/c")").receiving(.text)
            .with(header: [.accept(.json)]).with(query: ["q": "1"])
            .authenticated(with: .bearerToken("t"))
            .with(
                options: CallOptions(
                    timeouts: Timeouts(total: .seconds(9)),
                    cachePolicy: .reloadIgnoringLocalCacheData
                )
            )
    }

    @Test("a new request has an endpoint and a method, and defaults for everything else")
    func initial() throws {
        let request = Request(api: api, endpoint: "/a b", responseDecoder: .text, method: .put)
        #expect(request.endpoint == "/a b")
        #expect(request.method == .put)
        #expect(request.api.baseURL == api.baseURL)
        #expect(request.baseURL == api.baseURL)
        #expect(request.header.isEmpty)
        #expect(request.queryItems.isEmpty)
        #expect(request.options == CallOptions())
        #expect(try request.prepared().body == .none)
        #expect(try request.prepared().header.isEmpty)
    }

    @Test("`receiving(_:)` keeps everything else, including the authentication provider")
    func receiving() throws {
        let head = try ResponseHead(statusCode: 200, url: RequestURL("https://h"))
        let changed = full.receiving(ResponseDecoder<Int>.reading { _, data in data.count })
        #expect(try changed.prepared() == full.prepared())
        #expect(try changed.prepared().header[.authorization] == "Bearer t")
        #expect(try changed.responseDecoder.decode(head, Data("abc".utf8)) == 3)
        #expect(changed.endpoint == full.endpoint)
    }

    @Test("`receiving(_:)` keeps the type of the API's errors if the new decoder has none")
    func receivingFailures() throws {
        struct Fault: Error, Decodable { var code: Int }
        struct Problem: Error, Decodable { var title: String }
        let failure = Data(#"{"code":7,"title":"gone"}"#.utf8)
        let head = try ResponseHead(statusCode: 404, url: RequestURL("https://h"))
        let accepting = ResponseDecoder.text.validating(status: [200])
        let request = full.decodingErrors(as: Fault.self)
        let cases: [(Request<BaseURL, String>, String)] = [
            (request.receiving(accepting), "Fault"),
            (request.receiving(.text).receiving(.oneOf(status: [200: .text])), "Fault"),
            (request.receiving(accepting.decodingErrors(as: Problem.self)), "Problem"),
            (request.receiving(.oneOf(status: [200: .text.decodingErrors(as: Problem.self)])), "Problem"),
            (request.receiving(accepting).decodingErrors(as: Problem.self), "Problem"),
            (full.receiving(accepting), "Never"),
        ]
        for (request, expected) in cases {
            let error = #expect(throws: ResponseError.self) { try request.responseDecoder.decode(head, failure) }
            #expect(error?.underlying.map { "\(type(of: $0))" } ?? "Never" == expected)
        }
        let taken = full.receiving(accepting).receiving(.text).responseDecoder
        #expect(try taken.decode(head, Data("x".utf8)) == "x", "the accepted statuses aren't kept")
    }

    @Test("every method that changes a request returns a copy")
    func copies() throws {
        let before = try full.prepared()
        let request = full
        _ = request.using(method: .get).with(header: []).with(query: []).sending(.none).authenticated(with: .none)
            .adding(headerField: .accept(.xml)).setting(headerField: .accept(.xml)).timeout(after: 1).with(
                options: CallOptions()
            )
            .adding(queryItem: URLQueryItem(name: "a", value: nil)).receiving(.none)
        #expect(try request.prepared() == before)
    }

    @Test("`using(method:)` sets the method and keeps everything else")
    func method() throws {
        var expected = try full.prepared()
        expected.method = "PURGE"
        #expect(try full.using(method: "PURGE").prepared() == expected)
    }

    @Test("`with(header:)` replaces the header, `adding` appends, and `setting` replaces the fields of a name")
    func header() {
        let request = api.get(.data, from: "/").with(header: [.accept(.json), .acceptLanguage("en")])
        #expect(request.with(header: [.accept(.xml)]).header == [.accept(.xml)])
        #expect(request.adding(headerField: .accept(.xml)).header.map(\.value).count == 3)
        #expect(request.adding(headerFields: [.accept(.xml), .accept(.png)]).header[values: .accept].count == 3)
        #expect(request.setting(headerField: .accept(.png)).header == [.accept(.png), .acceptLanguage("en")])
    }

    @Test("`with(query:)` replaces the query items, `adding` appends, and those of the base URL stay")
    func query() throws {
        let api = BaseURL("https://h/?base=1")
        let request = api.get(.data, from: "/").with(query: ["a": "1"])
        let (b, c) = (URLQueryItem(name: "b", value: "2"), URLQueryItem(name: "c", value: nil))
        #expect(try request.with(query: ["z": "9"]).prepared().url.query == "base=1&z=9")
        #expect(try request.with(query: [b, c]).prepared().url.query == "base=1&b=2&c")
        #expect(try request.with(query: Query([b, c])).prepared().url.query == "base=1&b=2&c")
        #expect(try request.adding(queryItem: b).prepared().url.query == "base=1&a=1&b=2")
        #expect(try request.adding(queryItems: [b, c]).prepared().url.query == "base=1&a=1&b=2&c")
        #expect(try request.adding(query: ["b": 2, "c": nil]).prepared().url.query == "base=1&a=1&b=2")
    }

    @Test("`sending` and `authenticated` set the body and the authentication provider")
    func providers() throws {
        let request = full.sending(.raw(data: Data([1]))).authenticated(with: .bearerToken("u"))
        #expect(try request.prepared().body == .data(Data([1])))
        #expect(try request.prepared().header[values: .contentType] == ["application/octet-stream"])
        #expect(try request.prepared().header[values: .authorization] == ["Bearer u"])
    }

    @Test("`timeout(after:)` sets the idle timeout in seconds and keeps the other limits")
    func timeout() throws {
        #expect(full.timeoutInterval == 60)
        let request = full.timeout(after: 1.5)
        #expect(request.timeoutInterval == 1.5)
        #expect(request.options.timeouts == Timeouts(idle: .milliseconds(1500), total: .seconds(9)))
        #expect(try request.prepared().options.timeouts == request.options.timeouts)
        #expect(
            try full.timeout(after: 60).prepared().options.timeouts.idle == .seconds(60),
            "an explicit default overrides the client"
        )
    }

    @Test("`timeouts` sets the given limits and keeps the others")
    func timeouts() throws {
        let request = full.timeouts(connect: .seconds(1), idle: .seconds(2))
        let expected = Timeouts(connect: .seconds(1), idle: .seconds(2), total: .seconds(9))
        #expect(try request.prepared().options.timeouts == expected)
        #expect(request.timeoutInterval == 2)
        #expect(
            request.timeouts(total: .seconds(3)).options.timeouts
                == Timeouts(connect: .seconds(1), idle: .seconds(2), total: .seconds(3))
        )
        #expect(full.timeouts().options == full.options)
    }

    @Test("`observing` replaces the observer, which `==` ignores")
    func observing() throws {
        let calls = Recorder<String>()
        let request = full.observing { _ in calls.record("first") }.observing { _ in calls.record("second") }
        try request.receiving(.none).prepared().options.observer?(.requestSent)
        #expect(calls.recorded == ["second"])
        #expect(try request.prepared() == full.prepared())
        #expect(try full.prepared().options.observer == nil)
    }

    @Test("`with(options:)` replaces all options, including timeouts")
    func options() throws {
        #expect(full.timeout(after: 1).with(options: CallOptions()).options == CallOptions())
        #expect(full.cachePolicy == .reloadIgnoringLocalCacheData)
        #expect(try full.prepared().options.cachePolicy == .reloadIgnoringLocalCacheData)
        var request = full
        request.cachePolicy = .returnCacheDataElseLoad
        #expect(request.options.cachePolicy == .returnCacheDataElseLoad)
        #expect(request.options.timeouts.total == .seconds(9))
    }

    @Test("every property can be set")
    func setters() throws {
        var request = full
        request.endpoint = "/x y"
        request.method = .put
        request.header.set(.accept(.xml))
        request.queryItems.removeAll()
        request.bodyProvider = .none
        request.authenticationProvider = .none
        #expect(
            try request.prepared().httpMessage() == """
                PUT /v1/x%20y HTTP/1.1
                Host: api.example.com
                Accept: application/xml
                Content-Length: 0


                """
        )
        request.endpoint = "/\("..")"
        #expect(throws: RequestError.self) { try request.prepared() }
        request.endpoint = "/ok"
        #expect(try request.prepared().url.path == "/v1/ok", "a new endpoint replaces the old one's error")
    }
}
