import Foundation
import RequestsSchemes

@testable import Requests
@testable import RequestsTesting

extension FuzzTarget {
    static let bodies = [
        FuzzTarget(
            "multipart",
            seeds: [
                ["a", "b", "c.txt", "d"], ["password", "s3cret\r\n--", "\"\r\n", "--Requests-"], ["é", "", "", ""],
            ]
        ) { input in
            let (name, value, filename, content) = (input.text(), input.bytes(), input.text(), input.bytes())
            let form = Multipart([.field(name, data: value), .data("f", content, filename: filename)])
            var header = Header.empty
            let body = try BodyProvider.multipart(form).body(updating: &header)
            let data = body.data ?? Data()
            let boundary = header[.contentType].flatMap { MediaType($0) }?.boundary ?? ""
            let parts = FormPart.parts(of: data, boundary)
            require(parts.count == 4, "a form has two parts: \(parts.count)")
            require(parts[1].content == value + Data("\r\n".utf8), "a value is read back")
            require(parts[2].content == content + Data("\r\n".utf8), "a file is read back")
            require(FormPart.redacted(data, boundary) { _, _ in false } == data, "nothing to hide")
            let text = input.bytes()
            _ = FormPart.redacted(text, String(decoding: content, as: UTF8.self)) { _, _ in true }
        },
        FuzzTarget(
            "json",
            seeds: [
                ["{\"a\":[1,1.5,-0,18446744073709551615,1e400,\"\\ud83d\\ude00\",null,true]}"], ["[[[[[]]]]]"],
                ["{\"data\":null,\"errors\":[{\"message\":\"m\",\"path\":[1,\"a\"]}],\"extensions\":{}}"],
                ["\"\\ud800\""],
            ]
        ) { input in
            let data = input.remainder()
            let head = try ResponseHead(statusCode: 200, url: try RequestURL("https://a/"))
            _ = try? ResponseDecoder<[JSONValue]>.lossyArray().decode(head, data)
            _ = try? ResponseDecoder<[String]>.unwrapped().decode(head, data)
            _ = try? ResponseDecoder<JSONValue>.json(at: "data.0.a").decode(head, data)
            _ = try? ResponseDecoder<JSONValue>.graphQL().decode(head, data)
            let value = try ResponseDecoder<JSONValue>.json().decode(head, data)
            let again = try JSONEncoder().encode(value)
            require(try JSONDecoder().decode(JSONValue.self, from: again) == value, "a value is read back")
            require(value == value && value.hashValue == value.hashValue, "a value equals itself")
        },
        FuzzTarget("har", seeds: []) { input in
            let archive = try JSONDecoder().decode(HAR.self, from: input.remainder())
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            let data = try encoder.encode(archive)
            let again = try encoder.encode(JSONDecoder().decode(HAR.self, from: data))
            require(again == data, "an archive is read back")
            for entry in archive.log.entries { _ = (entry.response.content.data, entry.request.postData?.data) }
        },
    ]
}
