import Foundation
import RequestsTesting
import Testing

@Suite("JSON decoders", .timeLimit(.minutes(5)))
struct ResponseDecoderJSONTests {
    private struct User: Codable, Equatable {
        var id: Int
        var born = Date(timeIntervalSince1970: 0)

        enum CodingKeys: CodingKey { case id }
    }

    private struct Feed: Decodable, Equatable {
        @LossyArray var users: [User]
        var count: Int
    }

    private func decode<Value>(_ text: String, _ decoder: ResponseDecoder<Value>) throws -> Value {
        try decoder.decode(ResponseHead(statusCode: 200, url: RequestURL("https://h/")), Data(text.utf8))
    }

    private func message<Value>(_ text: String, _ decoder: ResponseDecoder<Value>) -> String? {
        #expect(throws: ResponseError.self) { try decode(text, decoder) }?.message
    }

    @Test(
        "A value at a path of keys and indexes is decoded",
        arguments: [
            ("data.user", #"{"data":{"user":{"id":1}}}"#), ("user", #"{"user":{"id":1}}"#), ("", #"{"id":1}"#),
            ("data.users.1", #"{"data":{"users":[null,{"id":1}]}}"#), ("1.user", #"[7,{"user":{"id":1}}]"#),
            ("0", #"{"0":{"id":1}}"#),
        ]
    )
    func path(path: String, text: String) throws {
        #expect(try decode(text, .json(User.self, at: path)) == User(id: 1))
    }

    @Test(
        "The error names the part of the path that has another value",
        arguments: [
            ("data.user", #"{"data":{}}"#, ".data has no key user"),
            ("data.user", #"{"data":{"user":null}}"#, ".data.user is null, not an object"),
            ("data.user", #"{"data":[]}"#, ".data isn't an object"),
            ("users.2", #"{"users":[1,2]}"#, ".users has no key 2"),
            ("users.0", #"{"users":[{"id":"x"}]}"#, ".users[0].id isn't an Int"),
        ]
    )
    func pathErrors(path: String, text: String, reason: String) {
        let message = message(text, .json(User.self, at: path))
        #expect(message?.contains("isn't JSON with a User at “\(path)”: \(reason).") == true, "\(message ?? "-")")
    }

    @Test("A value nested 100 levels deep is decoded, and a deeper one isn't", arguments: [100, 101])
    func nesting(levels: Int) {
        let text = String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
        let message = message(text, .json(User.self))
        #expect(message?.contains("nested more than 100 levels deep") == (levels > 100), "\(message ?? "-")")
    }

    @Test("A lossy array is encoded as an array of its elements")
    func encoded() throws {
        let users = try decode(#"{"users":[{"id":1},7,{"id":2}],"count":3}"#, .json(Feed.self)).$users
        #expect(users.map(\.index) == [1])
        let array = LossyArray(wrappedValue: [User(id: 1), User(id: 2)])
        #expect(try String(decoding: JSONEncoder().encode(array), as: UTF8.self) == #"[{"id":1},{"id":2}]"#)
    }

    @Test("`unwrapped` decodes the only value of the type, or the one with the key")
    func unwrapped() throws {
        #expect(try decode(#"{"took":3,"person":{"id":1}}"#, .unwrapped(User.self)) == User(id: 1))
        #expect(try decode(#"{"a":{"id":1},"b":{"id":2}}"#, .unwrapped(User.self, key: "b")) == User(id: 2))
        #expect(try decode(#"{"n":1,"users":[{"id":1}]}"#, .unwrapped([User].self)) == [User(id: 1)])
    }

    @Test(
        "The error of `unwrapped` says why no value was selected",
        arguments: [
            (#"{"a":{"id":1},"b":{"id":2},"c":3}"#, nil, "“a”, “b” all match, so select one with the parameter key"),
            (#"{"a":1,"b":2}"#, nil, "none of “a”, “b” matches"), ("{}", nil, "the object is empty"),
            (#"{"a":{"id":1}}"#, "b", "the top level has no key b"), ("[1]", nil, "the top level isn't an object"),
        ] as [(String, String?, String)]
    )
    func unwrappedErrors(text: String, key: String?, reason: String) {
        let message = message(text, .unwrapped(User.self, key: key))
        #expect(message?.contains(": \(reason).") == true, "\(message ?? "-")")
    }

    @Test("The error of `unwrapped` names at most ten keys", arguments: [10, 11])
    func manyKeys(count: Int) {
        let members = (10..<10 + count).map { "\"\($0)\":1" }.joined(separator: ",")
        let message = message("{\(members)}", .unwrapped(User.self))
        #expect(message?.contains("“19”\(count > 10 ? ", …" : "") matches") == true, "\(message ?? "-")")
    }

    @Test("`lossyArray` drops the elements that can't be decoded, and reports them")
    func lossy() throws {
        let dropped = Recorder<(index: Int, reason: String)>()
        let text = #"[{"id":1},{"id":"x"},null,{"id":4},7]"#
        let users = try decode(text, .lossyArray(of: User.self) { $0.forEach(dropped.record) })
        #expect(users == [User(id: 1), User(id: 4)])
        #expect(dropped.recorded.map(\.index) == [1, 2, 4])
        #expect(dropped.recorded.first?.reason == ".id isn't an Int")
        #expect(try decode("[]", .lossyArray(of: User.self) { _ in Issue.record("nothing was dropped") }) == [])
        #expect(throws: ResponseError.self) { try decode("{}", .lossyArray(of: User.self)) }
    }

    @Test("@LossyArray drops elements of a property")
    func lossyProperty() throws {
        let feed = try decode(#"{"count":2,"users":[{"id":1},{}]}"#, .json(Feed.self))
        #expect(feed.users == [User(id: 1)])
        #expect(feed.$users.map { "\($0.index) \($0.reason)" } == ["1 the top level has no key id"])
        #expect(throws: ResponseError.self) { try decode(#"{"count":2}"#, .json(Feed.self)) }
    }

    @Test("Paths, wrappers and lossy arrays use the strategies of the decoder")
    func strategies() throws {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .secondsSince1970
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let date = Date(timeIntervalSince1970: 7)
        #expect(
            try decode(#"{"some_dates":[7]}"#, .json(Date.self, at: "someDates.0", decoder: decoder)) == date
        )
        #expect(try decode(#"[7,"x"]"#, .lossyArray(of: Date.self, decoder: decoder)) == [date])
        #expect(try decode(#"{"a":"x","b":7}"#, .unwrapped(Date.self, decoder: decoder)) == date)
    }

    @Test("`excerpt` shows the first 80 bytes on one line, and descriptions don't contain them")
    func excerpt() {
        let text = "{\"a\":\n" + String(repeating: "x", count: 100)
        let error = #expect(throws: ResponseError.self) { try decode(text, .json(User.self)) }
        #expect(error?.excerpt == #"{"a":\n"# + String(repeating: "x", count: 74) + "…")
        #expect(error.map { "\($0)" }?.contains("xx") == false)
    }

    @Test("Lossy arrays work next to other arrays and nested")
    func nestedLossyArrays() throws {
        struct Groups: Decodable {
            @LossyArray var users: [User]
            var tags: [String]
            @LossyArray var groups: [LossyArray<User>]
        }
        let (good, bad) = (#"{"id":1}"#, #"{"id":"x"}"#)
        let groups = try decode(
            #"{"tags":["a","b"],"users":[\#(bad),\#(good),7,null],"groups":[[\#(bad)],[\#(good),[]]]}"#,
            .json(Groups.self)
        )
        #expect(groups.users.map(\.id) == [1])
        #expect(groups.$users.map(\.index) == [0, 2, 3])
        #expect(groups.tags == ["a", "b"])
        #expect(groups.groups.map(\.wrappedValue.count) == [0, 1])
        #expect(try decode("[\(bad),[\(good)],\(good)]", .lossyArray(of: User.self)).map(\.id) == [1])
        #expect(throws: ResponseError.self) {
            try decode(#"{"tags":[1],"users":[],"groups":[]}"#, .json(Groups.self))
        }
    }
}
