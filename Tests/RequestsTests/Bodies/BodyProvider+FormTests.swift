#if FullFoundation
import Foundation
import Requests
import RequestsSchemes
import Testing

@Suite("Form and GraphQL bodies", .timeLimit(.minutes(5)))
struct FormTests {
    private let api = BaseURL("https://api.example.com")

    @Test("a form is encoded as in browsers")
    func form() throws {
        let query: Query = ["name": "Ada Lovelace", "a&b": "c=d+é", "empty": "", "none": nil, "safe": "*-._~"]
        let request = try api.post(.form(query), to: "/").prepared()
        #expect(request.header == [.contentType(.urlEncodedForm)])
        #expect(
            request.body.data.map { String(decoding: $0, as: UTF8.self) }
                == "name=Ada+Lovelace&a%26b=c%3Dd%2B%C3%A9&empty=&safe=*-._%7E"
        )
        #expect(try api.post(.form([:]), to: "/").prepared().body == .data(Data()))
        #expect(try api.post(.form(["a": nil]), to: "/").prepared().body == .data(Data()))
        let item = URLQueryItem(name: "a", value: nil)
        #expect(try api.post(.form([item]), to: "/").prepared().body == .data(Data("a=".utf8)))
    }

    @Test("the standard's parser reads the original items from any form")
    func formRoundTrip() throws {
        let texts = Array(HostileText(seed: 12, count: 20_002))
        let broken = try (0..<20_000).first { index in
            let items = [
                URLQueryItem(name: texts[index], value: texts[index + 1]),
                URLQueryItem(name: texts[index + 2], value: index % 3 == 0 ? nil : texts[index]),
            ]
            var header = Header.empty
            let body = try BodyProvider.form(Query(items)).body(updating: &header).data ?? Data()
            let expected = items.map { FormReader.Item(name: Array($0.name.utf8), value: Array(($0.value ?? "").utf8)) }
            return FormReader.items(of: body) != expected
        }
        #expect(broken.map { texts[$0...($0 + 2)] } == nil)
    }

    @Test("a GraphQL operation is sent as a JSON document")
    func graphQL() throws {
        let query: GraphQL.Document = "query Q($id: ID!) { user(id: $id) { \"name\" } }"
        let request = try api.post(
            .graphQL(query: query, operationName: "Q", variables: ["id": "7"]),
            to: "/graphql"
        ).prepared()
        let accept = Field(name: .accept, value: "application/graphql-response+json, application/json; q=0.9")
        #expect(request.header == [.contentType(.json), accept])
        let own = api.post(.graphQL(query: query), to: "/").with(header: [.accept(.json)])
        #expect(try own.prepared().header[values: .accept] == ["application/json"])
        #expect(
            request.body.data.map { String(decoding: $0, as: UTF8.self) }
                == #"{"query":"query Q($id: ID!) { user(id: $id) { \"name\" } }","operationName":"Q","#
                + #""variables":{"id":"7"}}"#
        )
        let id = "7"
        let mixed = api.post(
            .graphQL(query: "{ me }", variables: ["id": .string(id), "first": 10, "on": [nil]]),
            to: "/"
        )
        #expect(
            try mixed.prepared().body.data
                == Data(#"{"query":"{ me }","variables":{"first":10,"id":"7","on":[null]}}"#.utf8)
        )
        let plain = try api.post(.graphQL(query: "{ me }"), to: "/").prepared().body.data
        #expect(plain.map { String(decoding: $0, as: UTF8.self) } == #"{"query":"{ me }"}"#)
    }

    @Test("a GraphQL document is read when the request is built, and a missing file makes the build throw")
    func graphQLFile() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "requests-\(UUID()).graphql")
        let request = api.post(.graphQL(query: .file(file)), to: "/")
        let error = #expect(throws: RequestError.self) { try request.prepared() }
        #expect(error?.code == .unreadableFile)
        #expect(error?.subject == file.lastPathComponent)
        try Data("{ me }".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        #expect(try request.prepared().body == .data(Data(#"{"query":"{ me }"}"#.utf8)))
        let resource = api.post(.graphQL(query: .resource("none", in: .main)), to: "/")
        #expect(throws: RequestError.self) { try resource.prepared() }
    }

    @Test("GraphQL variables that can't be encoded make the build throw")
    func graphQLVariables() throws {
        let request = api.post(.graphQL(query: "{ me }", variables: ["x": Double.nan]), to: "/")
        #expect(throws: EncodingError.self) { try request.prepared() }
    }
}
#endif
