import Foundation
import RequestsSchemes

@testable import Requests

extension FuzzTarget {
    static let urls = [
        FuzzTarget(
            "url",
            seeds: [
                ["https://a.example/b?c=d#e", "../x?y#z"], ["HTTP://[::1]:8080/%41/ü", "//b/c"],
                ["http://1.2.3.4", "?a"],
                ["https://bücher.example/a%2Fb", "http:g"], ["http://u:p@h/", "a/./b/../c"],
            ]
        ) { input in
            let url = try RequestURL(input.text())
            require(url.text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "a URL is printable ASCII")
            require(try RequestURL(url.text).text == url.text, "parsing a URL's text gives the URL")
            require(url.description.count <= 1001, "a description is bounded")
            let text = "\(url.scheme)://\(url.authority)\(url.path)\(url.query.map { "?" + $0 } ?? "")"
            require(text == String(url.textBeforeFragment), "a URL consists of its parts")
            require(try url.resolving("").text == String(url.textBeforeFragment), "an empty reference is the URL")
            let resolved = try url.resolving(input.text())
            require(try RequestURL(resolved.text).text == resolved.text, "a resolved URL is a URL")
            require(try url.resolving(resolved.text).text == resolved.text, "a URL is resolved to itself")
        },
        FuzzTarget(
            "endpoint",
            seeds: [["a/b", "c&d=e"], ["..", ""], ["%2e%2e", "é"], ["%41", "%"], ["a?b#c", "\0"], [".", "a;b"]]
        ) { input in
            let (segment, value) = (input.text(), input.text())
            let api = BaseURL("https://a.example/v1")
            let request = try api.get(.none, from: "/x/\(segment)/y?q=\(value)&z=1").prepared()
            let segments = request.url.path.split(separator: "/", omittingEmptySubsequences: false)
            require(segments.count == 5 && segments[4] == "y", "a value stays in its segment: \(request.url.text)")
            require(PercentEncoding.decoded(String(segments[3])).utf8.elementsEqual(segment.utf8), "it keeps its bytes")
            let items = request.url.queryItems
            require(items.map(\.name) == ["q", "z"], "a value stays in its item")
            require(items[0].value?.utf8.elementsEqual(value.utf8) == true, "it keeps its bytes")
            let path = try api.get(.none, from: Endpoint(path: segment)).prepared()
            require(path.url.query == nil && path.url.authority == "a.example", "a path stays a path")
        },
        FuzzTarget("query", seeds: [["a", "b", "c d", "+&="], ["é", "", "[]", "\0"], ["token", "s3cret"]]) { input in
            let items = (0..<3).map { _ in URLQueryItem(name: input.text(), value: input.text()) }
            let request = try BaseURL("https://a").get(.none, from: "").with(query: Query(items))
                .prepared()
            let read = request.url.queryItems
            require(read.count == items.count, "no item is lost or added")
            for (item, other) in zip(items, read) {
                require(item.name.utf8.elementsEqual(other.name.utf8), "a name is read back")
                require((item.value ?? "").utf8.elementsEqual((other.value ?? "").utf8), "a value is read back")
            }
            var header = Header.empty
            let body = try BodyProvider.form(Query(items)).body(updating: &header).data ?? Data()
            let pairs = String(decoding: body, as: UTF8.self).split(separator: "&", omittingEmptySubsequences: false)
            require(pairs.count == items.count, "a form has an item for each item")
            for (item, pair) in zip(items, pairs) {
                let parts = pair.replacing("+", with: " ").split(separator: "=", omittingEmptySubsequences: false)
                require(
                    PercentEncoding.decoded(String(parts[0])).utf8.elementsEqual(item.name.utf8),
                    "a form is read back"
                )
            }
        },
        FuzzTarget(
            "template",
            seeds: [
                ["/a{/b,c*}{?d,e:3}", "x", "y"], ["{+a}{#b}", "%41", "é"], ["{;a}{&b*}{.c}", "/", "..", ""],
                ["{", "}"],
            ]
        ) { input in
            let template = try URITemplate(input.text())
            let (first, second) = (input.text(), input.text())
            let text = try template.expanded(with: [
                "a": .value(first), "b": [first, second], "c": ["k": first], "d": .value(second), "e": nil,
            ])
            require(text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "an expansion is printable ASCII")
            require(
                try URITemplate(template.description).expanded(with: [:]) == template.expanded(with: [:]),
                "read back"
            )
        },
        FuzzTarget(
            "redaction",
            seeds: [
                ["a=b&token=", "&c"], ["https://u:p@h/?a=b=", "#"], ["{\"token\":\"", "\"}"],
                ["[{\"a\":1,\"pwd\":[", "]}]"],
                ["{\"to\\u006ben\" : ", ", \"a\":1}"], ["//a@b//", "@"],
            ]
        ) { input in
            let (before, after) = (input.text(), input.text())
            let text = before + after
            let shown = Redaction.hidingCredentials(in: text)
            require(Redaction.hidingCredentials(in: shown).utf8.elementsEqual(shown.utf8), "redaction is stable")
            let canary = Redaction.hidingCredentials(in: "\(before)&token=c4nary&\(after)")
            require(!canary.contains("token=c4nary"), "a token is hidden")
            guard let hidden = Redaction.hidingMembers(inJSON: Data(text.utf8)) else { return }
            require(Redaction.hidingMembers(inJSON: hidden).map { $0 == hidden } ?? true, "redaction is stable")
            guard (try? JSONDecoder().decodeLimited(JSONValue.self, from: Data(text.utf8))) != nil else { return }
            require((try? JSONDecoder().decode(JSONValue.self, from: hidden)) != nil, "redacted JSON is JSON")
        },
    ]
}
