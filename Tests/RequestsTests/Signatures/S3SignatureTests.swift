import RequestsClient
import Testing

@testable import RequestsSchemes

/// The examples of Amazon's documentation, "Authenticating Requests".
@Suite("AWS Signature Version 4 for S3", .timeLimit(.minutes(5)))
struct S3SignatureTests {
    private let credentials = AWSCredentials(
        accessKeyID: "AKIAIOSFODNN7EXAMPLE",
        secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
    )
    private let date = Date(timeIntervalSince1970: 1_369_353_600)

    private func signer(_ payload: AWSSignatureV4.Payload = .signed) -> AWSSignatureV4 {
        AWSSignatureV4(credentials, region: "us-east-1", service: "s3", payload: payload) { [date] in date }
    }

    private func signature(of request: PreparedRequest) throws -> Substring? {
        var request = request
        try signer().sign(&request)
        return request.header[.authorization]?.split(separator: "=").last
    }

    private let bucket = "https://examplebucket.s3.amazonaws.com"

    @Test("GET with a range, a subresource and a list have the documented signatures")
    func reads() throws {
        var object = try PreparedRequest(url: RequestURL(bucket + "/test.txt"))
        object.header.set(Field(name: .range, value: "bytes=0-9"))
        #expect(
            try signature(of: object) == "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"
        )
        #expect(
            try signature(of: PreparedRequest(url: RequestURL(bucket + "/?lifecycle")))
                == "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"
        )
        #expect(
            try signature(of: PreparedRequest(url: RequestURL(bucket + "/?max-keys=2&prefix=J")))
                == "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"
        )
    }

    @Test("PUT of an object has the documented signature")
    func write() throws {
        let object = try PreparedRequest(
            method: .put,
            url: RequestURL(bucket + "/test$file.text"),
            header: [
                "Date": "Fri, 24 May 2013 00:00:00 GMT", "x-amz-storage-class": "REDUCED_REDUNDANCY",
            ],
            body: .data(Data("Welcome to Amazon S3.".utf8))
        )
        #expect(
            try signature(of: object) == "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"
        )
    }

    /// Computed with botocore, which sends the encoded path.
    @Test(
        "S3 gets the same signature for a path whether or not a reserved character in it is encoded",
        arguments: [
            ("/a:b", "aa3fa6a882917f543a92dd6219d3d27f14c7a9a0e75ccb933e191b2c310497b8"),
            ("/a%3Ab", "aa3fa6a882917f543a92dd6219d3d27f14c7a9a0e75ccb933e191b2c310497b8"),
            ("/a@b=c+d", "b8090ad0cf4c1212dafb9140676d8de7e7d53b7bfa2d6be16581084a9938b44d"),
            ("/a//b%20c", "92e79094d4d94bcc84f4ea343f01cbc64fb6723bd1d7624addc00bcbebde11e3"),
        ]
    )
    func paths(_ path: String, _ expected: String) throws {
        #expect(try signature(of: PreparedRequest(url: RequestURL(bucket + path))).map(String.init) == expected)
    }

    @Test("A presigned URL has the documented signature, and prints as a link that works")
    func presigned() throws {
        let request = try PreparedRequest(url: RequestURL(bucket + "/test.txt"))
        let url = try signer().presignedURL(for: request, expiresAfter: .seconds(86_400))
        let signature = "aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404"
        #expect(
            url.absoluteString == bucket + "/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256"
                + "&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request"
                + "&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host&X-Amz-Signature="
                + signature
        )
        #expect("\(url)" == url.absoluteString)
        #expect(throws: RequestError.self) { try signer().presignedURL(for: request, expiresAfter: .seconds(604_801)) }
    }

    @Test("A presigned URL covers the listed fields, and the host of the URL instead of a Host field")
    func presignedFields() throws {
        let request = try PreparedRequest(
            method: .put,
            url: RequestURL(bucket + "/test.txt"),
            header: ["x-amz-acl": "private", "Content-Type": "text/plain", "Host": "other", "X-Other": "1"]
        )
        let covered: Set<Field.Name> = ["x-amz-acl", .contentType, .host]
        let url = try signer().presignedURL(for: request, covering: covered, expiresAfter: .seconds(60))
        // Computed with botocore.
        #expect(
            url.absoluteString.hasSuffix(
                "&X-Amz-SignedHeaders=content-type%3Bhost%3Bx-amz-acl"
                    + "&X-Amz-Signature=5aed4913c957a9b37decf62d65db55df82b8a63f295fba4f294d907aca8ed05a"
            )
        )
        let error = #expect(throws: RequestError.self) {
            try signer().presignedURL(for: request, covering: ["x-amz-tagging"], expiresAfter: .seconds(60))
        }
        #expect(error?.message.contains("The request has no x-amz-tagging") == true)
    }

    /// Computed with botocore.
    @Test(
        "Services of S3's family have its rules for paths and payloads",
        arguments: [
            ("s3-outposts", "1a9a9523a124b0576343f2e2ffe2a5249bd25a8e96024de262152fcded376cc4", "ap.op-01"),
            ("s3-object-lambda", "f80483c45cdcdf81c615b6e855f3d92f38e5b195b08dbbcd92e00dfe32277bfe", "ol-1"),
        ]
    )
    func family(_ service: String, _ signature: String, _ name: String) throws {
        var request = try PreparedRequest(
            url: RequestURL("https://\(name).\(service).us-east-1.amazonaws.com/a%20b//c")
        )
        let signer = AWSSignatureV4(credentials, region: "us-east-1", service: service) { [date] in date }
        try signer.sign(&request)
        #expect(request.header[.authorization]?.hasSuffix("Signature=\(signature)") == true)
        #expect(request.header.contains("X-Amz-Content-SHA256"))
        let link = try signer.presignedURL(for: request, expiresAfter: .seconds(1))
        #expect(link.absoluteString.contains("X-Amz-SignedHeaders=host&"))
    }

    @Test("The service of directory buckets is refused, because it needs sessions")
    func sessions() throws {
        let signer = AWSSignatureV4(credentials, region: "us-east-1", service: "s3express") { [date] in date }
        var request = try PreparedRequest(url: RequestURL(bucket + "/a"))
        let errors = [
            #expect(throws: RequestError.self) { try signer.sign(&request) },
            #expect(throws: RequestError.self) { try signer.presignedURL(for: request, expiresAfter: .seconds(1)) },
        ]
        #expect(errors.allSatisfy { $0?.message.contains("s3express") == true })
        #expect(request.header.isEmpty)
    }

    @Test("A signing key is derived once a day, and no dump shows it")
    func keys() throws {
        let keys = AWSKeys()
        var derived: [String] = []
        for day in ["1", "2", "1", "2", "2"] {
            let key = keys.key(for: day) {
                derived.append(day)
                return Array("key\(day)".utf8)
            }
            #expect(key == Array("key\(day)".utf8))
        }
        #expect(derived == ["1", "2"])
        var dumped = ""
        dump(keys, to: &dumped)
        #expect(!dumped.contains("107"))
    }

    @Test("An unsigned payload is announced")
    func unsigned() throws {
        var request = try PreparedRequest(method: .put, url: RequestURL(bucket + "/a"), body: .data(Data("a".utf8)))
        try signer(.unsigned).sign(&request)
        #expect(request.header["X-Amz-Content-SHA256"] == "UNSIGNED-PAYLOAD")
    }

    private func stream() throws -> RequestBody {
        var header = Header.empty
        return try BodyProvider.chunks(AsyncStream<Data> { $0.finish() }, length: 5).body(updating: &header)
    }

    @Test("A body that can be read only once isn't covered over https, and refused over http without its digest")
    func streams() throws {
        var secure = try PreparedRequest(method: .put, url: RequestURL(bucket + "/a"), body: stream())
        try signer().sign(&secure)
        #expect(secure.header["X-Amz-Content-SHA256"] == "UNSIGNED-PAYLOAD")
        #expect(secure.header[.authorization]?.contains("x-amz-content-sha256") == true)
        for payload in [.signed, .unsigned] as [AWSSignatureV4.Payload] {
            var open = try PreparedRequest(method: .put, url: RequestURL("http://minio:9000/a"), body: stream())
            let error = #expect(throws: RequestError.self) { try signer(payload).sign(&open) }
            #expect(error?.code == .unsupportedBody)
            #expect(error?.message.contains("Use https") == true)
        }
        var open = try PreparedRequest(method: .put, url: RequestURL("http://minio:9000/a"), body: stream())
        try signer(.sha256(Data(repeating: 0xAB, count: 32))).sign(&open)
        #expect(open.header["X-Amz-Content-SHA256"] == String(repeating: "ab", count: 32))
        #expect(throws: RequestError.self) { try signer(.sha256(Data("abc".utf8))).sign(&open) }
    }

    @Test("Bodies in memory are signed over http, and so is a request without one")
    func plain() throws {
        for body in [.none, .data(Data("a".utf8))] as [RequestBody] {
            var request = try PreparedRequest(method: .put, url: RequestURL("http://minio:9000/a"), body: body)
            try signer().sign(&request)
            #expect(request.header["X-Amz-Content-SHA256"]?.utf8.count == 64)
        }
    }
}
