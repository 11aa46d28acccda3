import RequestsTesting
import Testing

@Suite("Response decoder combinators", .timeLimit(.minutes(5)))
struct ResponseDecoderChangingTests {
    private struct Problem: Error, Decodable, Equatable {
        var title: String
    }

    private let api = BaseURL("https://h")

    private func head(_ status: Int = 200, _ header: Header = []) throws -> ResponseHead {
        try ResponseHead(statusCode: status, header: header, url: RequestURL("https://h/"))
    }

    private func client(_ status: Int, _ body: String) -> Client {
        Client(transport: StubTransport { try .stub(status, body: Data(body.utf8), for: $0) })
    }

    @Test("`map` converts the value and rethrows errors")
    func map() throws {
        let decoder = ResponseDecoder.text.map { text in
            guard let number = Int(text) else { throw Problem(title: text) }
            return number
        }
        #expect(try decoder.decode(head(), Data("7".utf8)) == 7)
        #expect(throws: Problem(title: "x")) { try decoder.decode(head(), Data("x".utf8)) }
    }

    @Test("`asyncMap` needs a client, also after further changes to the decoder")
    func asyncMap() async throws {
        let decoder = ResponseDecoder.text.asyncMap { text in
            await Task.yield()
            return text + "!"
        }
        let later = decoder.map { [$0] }.onDecoded { _ in }.validating(status: [200]).optional
        #expect(try await client(200, "a").send(api.get(decoder, from: "/")) == "a!")
        #expect(try await client(200, "a").send(api.get(later, from: "/")) == ["a!"])
        let error = #expect(throws: RequestError.self) { try later.decode(head(), Data("a".utf8)) }
        #expect(error?.code == .asynchronousDecoding)
    }

    @Test("`onDecoded` receives each value and can throw")
    func onDecoded() throws {
        let seen = Recorder<String>()
        let decoder = ResponseDecoder.text.onDecoded { text in
            seen.record(text)
            if text.isEmpty { throw Problem(title: "empty") }
        }
        #expect(try decoder.decode(head(), Data("a".utf8)) == "a")
        #expect(throws: Problem.self) { try decoder.decode(head(), Data()) }
        #expect(seen.recorded == ["a", ""])
    }

    @Test(
        "`optional` gives nil without content and hides no error",
        arguments: [(200, "", nil), (204, "", nil), (205, "7", nil), (304, "7", nil), (200, "7", 7)]
            as [(Int, String, Int?)]
    )
    func optional(status: Int, body: String, expected: Int?) throws {
        let decoder = ResponseDecoder<Int>.json().optional
        #expect(try decoder.decode(head(status), Data(body.utf8)) == expected)
        #expect(throws: ResponseError.self) { try decoder.decode(head(), Data("x".utf8)) }
    }

    @Test("`optional` accepts 304, whatever the client accepts")
    func notModified() async throws {
        let decoder = ResponseDecoder<Int>.json().optional
        #expect(try await client(304, "").send(api.get(decoder, from: "/")) == nil)
        #expect(try await client(304, "").send(api.get(decoder.map { $0 ?? 0 }, from: "/")) == 0)
        await #expect(throws: ResponseError.self) {
            try await client(304, "").send(api.get(decoder.validating(status: [200]), from: "/"))
        }
        await #expect(throws: ResponseError.self) { try await client(404, "").send(api.get(decoder, from: "/")) }
    }

    @Test("`fallback` uses another decoder if the first one throws, and reports its error")
    func fallback() async throws {
        let decoder = ResponseDecoder<[Int]>.json().fallback(to: .text)
        guard case .primary([1, 2]) = try decoder.decode(head(), Data("[1,2]".utf8)) else {
            Issue.record("not the primary value")
            return
        }
        guard case .fallback("x", let reason as ResponseError) = try decoder.decode(head(), Data("x".utf8)) else {
            Issue.record("not the fallback")
            return
        }
        #expect(reason.code == .decoding)
        let waiting = ResponseDecoder<[Int]>.json().fallback(to: ResponseDecoder.text.asyncMap { $0 + "!" })
        guard case .fallback("x!", _) = try await client(200, "x").send(api.get(waiting, from: "/")) else {
            Issue.record("not the fallback that waits")
            return
        }
        // Either type may be an array or Data.
        let bytes = ResponseDecoder.data.fallback(to: ResponseDecoder<[Int]>.json())
        guard case .primary(Data("[]".utf8)) = try bytes.decode(head(), Data("[]".utf8)) else {
            Issue.record("not the bytes")
            return
        }
        let arrays = ResponseDecoder<[Int]>.json().fallback(to: ResponseDecoder<[String]>.json())
        guard case .fallback(["a"], _) = try arrays.decode(head(), Data(#"["a"]"#.utf8)) else {
            Issue.record("not the other array")
            return
        }
    }

    @Test(
        "`validating(status:)` replaces what the client accepts",
        arguments: [(200, false), (404, true), (500, false)]
    )
    func statuses(status: Int, isAccepted: Bool) async throws {
        let decoder = ResponseDecoder.text.validating(status: 400..<500)
        let request = api.get(decoder, from: "/")
        if isAccepted {
            #expect(try await client(status, "gone").send(request) == "gone")
            #expect(try decoder.decode(head(status), Data("gone".utf8)) == "gone")
        } else {
            let error = await #expect(throws: ResponseError.self) { try await client(status, "no").send(request) }
            #expect(error?.code == .status)
            #expect(throws: ResponseError.self) { try decoder.decode(head(status), Data()) }
        }
    }

    @Test(
        "`validating(contentType:)` throws for another media type and for none",
        arguments: [
            ("application/json", true), ("Application/JSON; charset=utf-8", true), ("text/json", false), (nil, false),
            ("json", false),
        ] as [(String?, Bool)]
    )
    func contentTypes(type: String?, isAccepted: Bool) throws {
        let decoder = ResponseDecoder.text.validating(contentType: .json, .xml)
        let head = try head(200, Header(type.map { [Field(name: .contentType, value: $0)] } ?? []))
        if isAccepted {
            #expect(try decoder.decode(head, Data("a".utf8)) == "a")
        } else {
            let error = #expect(throws: ResponseError.self) { try decoder.decode(head, Data("a".utf8)) }
            #expect(error?.code == .contentType)
            #expect(error?.data == Data("a".utf8))
        }
    }

    @Test("The error of an unexpected media type names both media types")
    func contentTypeMessage() throws {
        let hostile = Field(name: .contentType, value: "text/html; a=\"\u{1B}[2J\"")
        let refused = #expect(throws: ResponseError.self) {
            try ResponseDecoder.text.validating(contentType: .json).decode(head(200, [hostile]), Data())
        }
        #expect(refused?.message.contains("\u{1B}") == false)
        let decoder = ResponseDecoder.text.validating(contentType: .json, .png)
        let error = #expect(throws: ResponseError.self) {
            try decoder.decode(head(200, [.contentType(.html)]), Data())
        }
        #expect(
            error?.description
                == "contentType: https://h/ returned text/html instead of application/json or image/png."
        )
    }

    @Test("`decodingErrors(as:)` decodes the API's error and keeps head and bytes")
    func typedErrors() async throws {
        let decoder = ResponseDecoder.text.decodingErrors(as: Problem.self).map { $0 + "!" }
        let body = #"{"title":"gone"}"#
        let error = await #expect(throws: ResponseError.self) {
            try await client(404, body).send(api.get(decoder, from: "/"))
        }
        #expect(error?.underlying as? Problem == Problem(title: "gone"))
        #expect(error?.code == .status)
        #expect(error?.head.statusCode == 404)
        #expect(error?.data == Data(body.utf8))
        let other = await #expect(throws: ResponseError.self) {
            try await client(500, "<html>").send(api.get(decoder, from: "/"))
        }
        #expect(other?.code == .status)
        #expect(other?.underlying == nil)
        #expect(try await client(200, body).send(api.get(decoder, from: "/")) == body + "!")
    }

    @Test(
        "`oneOf` has a decoder for each status and throws for other statuses",
        arguments: [(200, 3), (404, -1), (201, nil)]
    )
    func oneOf(status: Int, expected: Int?) async throws {
        let decoder = ResponseDecoder.oneOf(status: [
            200: ResponseDecoder.text.map(\.count), 404: ResponseDecoder.none.map { -1 },
        ])
        let request = api.get(decoder, from: "/")
        if let expected {
            #expect(try await client(status, "abc").send(request) == expected)
            #expect(try decoder.decode(head(status), Data("abc".utf8)) == expected)
        } else {
            let error = await #expect(throws: ResponseError.self) { try await client(status, "abc").send(request) }
            #expect(error?.code == .status)
        }
    }

    @Test("`oneOf` decodes a failure of another status with its decoders, the lowest status first")
    func oneOfErrors() async throws {
        struct Fault: Error, Decodable, Equatable {
            var title: String?
            var code: Int?
        }
        let decoder = ResponseDecoder.oneOf(status: [
            200: .text.decodingErrors(as: Problem.self).validating(status: [500]), 201: .text,
            202: .text.decodingErrors(as: Fault.self),
        ])
        for (body, expected) in [(#"{"title":"gone"}"#, "Problem"), (#"{"code":7}"#, "Fault"), ("<html>", "Never")] {
            let error = await #expect(throws: ResponseError.self) {
                try await client(500, body).send(api.get(decoder, from: "/"))
            }
            #expect(error?.code == .status)
            #expect(error?.underlying.map { "\(type(of: $0))" } ?? "Never" == expected)
        }
        #expect(try await client(200, "abc").send(api.get(decoder, from: "/")) == "abc")
    }
}
