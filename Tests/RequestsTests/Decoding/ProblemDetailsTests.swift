import RequestsTesting
import Testing

@Suite("Problem details", .timeLimit(.minutes(5)))
struct ProblemDetailsTests {
    private let api = BaseURL("https://api.example.com")

    /// The example of RFC 9457 §3.
    private static let credit = #"""
        {"type": "https://example.com/probs/out-of-credit", "title": "You do not have enough credit.",
        "detail": "Your current balance is 30, but that costs 50.", "instance": "/account/12345/msgs/abc",
        "balance": 30, "accounts": ["/account/12345", "/account/67890"]}
        """#

    private func error(_ reply: StubTransport.Reply, _ request: some RequestConvertible) async -> ResponseError? {
        await #expect(throws: ResponseError.self) {
            try await Client(transport: StubTransport(script: [reply])).send(request)
        }
    }

    private func problem(jsonText: String) -> StubTransport.Reply {
        .reply(403, header: [.contentType("application/problem+json")], jsonText: jsonText)
    }

    @Test("The problem of a failed response is part of its error")
    func problem() async throws {
        let error = await error(problem(jsonText: Self.credit), api.delete("/").problems())
        let problem = try #require(error?.problem)
        #expect(problem.type == "https://example.com/probs/out-of-credit")
        #expect(problem.title == "You do not have enough credit.")
        #expect(problem.status == nil)
        #expect(problem.detail == "Your current balance is 30, but that costs 50.")
        #expect(problem.instance == "/account/12345/msgs/abc")
        #expect(problem.extensions == ["balance": 30, "accounts": ["/account/12345", "/account/67890"]])
        #expect(!"\(problem)".contains("balance"))
    }

    @Test("Members of a wrong type are ignored, and the type defaults to about:blank")
    func wrongTypes() async throws {
        let error = await error(
            problem(jsonText: #"{"title": 1, "status": "403", "detail": []}"#),
            api.delete("/").problems()
        )
        #expect(error?.problem == ProblemDetails())
        #expect(error?.problem?.type == "about:blank")
    }

    @Test(
        "A number that no Swift type can represent doesn't hide the problem",
        arguments: [#""limit": 1e400"#, #""status": 1e400"#, #""status": 18446744073709551615"#, #""a": [-1e999]"#]
    )
    func hugeNumbers(member: String) async throws {
        let error = await error(problem(jsonText: #"{"title": "Full", \#(member)}"#), api.delete("/").problems())
        #expect(error?.problem?.title == "Full")
        #expect(error?.problem?.status == nil)
    }

    private struct Failure: Error, Decodable, Equatable {
        let title: String
    }

    @Test("Other media types are read by the API's own type, in either order")
    func others() async throws {
        let plain = StubTransport.Reply.reply(403, jsonText: #"{"title": "own"}"#)
        let problem = problem(jsonText: #"{"title": "standard"}"#)
        for request in [
            api.delete("/").decodingErrors(as: Failure.self).problems(), api.get(.none, from: "/").problems(),
        ] {
            #expect(await error(problem, request)?.problem?.title == "standard")
        }
        let own = await error(plain, api.delete("/").decodingErrors(as: Failure.self).problems())
        #expect(own?.underlying as? Failure == Failure(title: "own"))
        #expect(await error(plain, api.delete("/").problems())?.problem == nil)
    }

    @Test("A problem is encoded with its extensions and decoded again")
    func roundTrip() throws {
        let problem = ProblemDetails(
            type: "a",
            title: "b",
            status: 400,
            detail: "c",
            instance: "d",
            extensions: ["e": 1]
        )
        let data = try JSONEncoder().encode(problem)
        #expect(try JSONDecoder().decode(ProblemDetails.self, from: data) == problem)
    }

    @Test("`dump` of a problem shows no details, which may contain the data of a user")
    func dumped() {
        var text = ""
        dump(ProblemDetails(type: "a", detail: "c4nary", extensions: ["e": "c4nary"]), to: &text)
        #expect(text.contains("a") && !text.contains("c4nary"))
    }
}
