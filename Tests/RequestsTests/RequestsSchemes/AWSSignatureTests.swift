import Foundation
import Requests
import RequestsTesting
import Testing

@testable import RequestsSchemes

@Suite("AWS Signature Version 4", .timeLimit(.minutes(5)))
struct AWSSignatureTests {
    private static let date = Date(timeIntervalSince1970: 1_440_938_160)

    private static func credentials(_ token: String? = nil) -> AWSCredentials {
        AWSCredentials(
            accessKeyID: "AKIDEXAMPLE",
            secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
            sessionToken: token
        )
    }

    private static let unreserved = "-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

    struct Vector: CustomTestStringConvertible, Sendable {
        let name: String
        var method = HTTPMethod.get
        var target = "/"
        var header: Header = []
        var body: RequestBody = .none
        let signature: String

        var testDescription: String { name }
    }

    static let suite: [Vector] = [
        Vector(name: "get-vanilla", signature: "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
        Vector(
            name: "get-vanilla-empty-query-key",
            target: "/?Param1=value1",
            signature: "a67d582fa61cc504c4bae71f336f98b97f1ea3c7a6bfe1b6e45aec72011b9aeb"
        ),
        Vector(
            name: "get-vanilla-query-order-key-case",
            target: "/?Param2=value2&Param1=value1",
            signature: "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"
        ),
        Vector(
            name: "get-vanilla-query-order-value",
            target: "/?Param1=value2&Param1=value1",
            signature: "5772eed61e12b33fae39ee5e7012498b51d56abc0abb7c60486157bd471c4694"
        ),
        Vector(
            name: "get-vanilla-query-unreserved",
            target: "/?\(unreserved)=\(unreserved)",
            signature: "9c3e54bfcdf0b19771a7f523ee5669cdf59bc7cc0884027167c21bb143a40197"
        ),
        Vector(
            name: "get-unreserved",
            target: "/\(unreserved)",
            signature: "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f"
        ),
        Vector(
            name: "get-slashes",
            target: "//example//",
            signature: "9a624bd73a37c9a373b5312afbebe7a714a789de108f0bdfe846570885f57e84"
        ),
        Vector(
            name: "get-header-value-trim",
            header: [Field(name: "My-Header1", value: "value1"), Field(name: "My-Header2", value: "\"a   b   c\"")],
            signature: "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736"
        ),
        Vector(
            name: "get-header-key-duplicate",
            header: ["My-Header1": "value2", "My-Header1": "value2", "My-Header1": "value1"],
            signature: "c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea"
        ),
        Vector(
            name: "get-header-value-order",
            header: [
                "My-Header1": "value4", "My-Header1": "value1", "My-Header1": "value3", "My-Header1": "value2",
            ],
            signature: "08c7e5a9acfcfeb3ab6b2185e75ce8b1deb5e634ec47601a50643f830c755c01"
        ),
        Vector(
            name: "post-vanilla",
            method: .post,
            signature: "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"
        ),
        Vector(
            name: "post-header-key-sort",
            method: .post,
            header: ["My-Header1": "value1"],
            signature: "c5410059b04c1ee005303aed430f6e6645f61f4dc9e1461ec8f8916fdf18852c"
        ),
        Vector(
            name: "post-x-www-form-urlencoded",
            method: .post,
            header: ["Content-Type": "application/x-www-form-urlencoded"],
            body: .data(Data("Param1=value1".utf8)),
            signature: "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a"
        ),
        Vector(
            name: "post-x-www-form-urlencoded-parameters",
            method: .post,
            header: ["Content-Type": "application/x-www-form-urlencoded; charset=utf8"],
            body: .data(Data("Param1=value1".utf8)),
            signature: "1a72ec8f64bd914b0e42e42607c7fbce7fb2c7465f63e3092b3b0d39fa77a6fe"
        ),
    ]

    @Test("A request of AWS's test suite gets its signature", arguments: suite)
    func testSuite(vector: Vector) throws {
        var request = try PreparedRequest(
            method: vector.method,
            url: RequestURL("https://example.amazonaws.com" + vector.target),
            header: vector.header,
            body: vector.body
        )
        let signer = AWSSignatureV4(Self.credentials(), region: "us-east-1", service: "service") { Self.date }
        try signer.sign(&request)
        #expect(request.header[.authorization]?.hasSuffix("Signature=\(vector.signature)") == true)
        #expect(request.header["X-Amz-Date"] == "20150830T123600Z")
    }

    @Test("A session token is sent, signed and redacted")
    func sessionToken() throws {
        let token = "AQoDYXdzEPT//////////wEXAMPLE"
        var request = try PreparedRequest(url: RequestURL("https://example.amazonaws.com/"))
        let signer = AWSSignatureV4(Self.credentials(token), region: "us-east-1", service: "service") { Self.date }
        try signer.sign(&request)
        #expect(request.header["X-Amz-Security-Token"] == token)
        #expect(request.header[.authorization]?.contains("host;x-amz-date;x-amz-security-token,") == true)
        #expect(!"\(request.header)".contains(token))
        #expect(!"\(Self.credentials(token))".contains("EXAMPLEKEY"))
    }

    @Test("Signing again replaces the signature")
    func again() throws {
        var request = try PreparedRequest(url: RequestURL("https://example.amazonaws.com/"))
        let signer = AWSSignatureV4(Self.credentials(), region: "us-east-1", service: "service") { Self.date }
        try signer.sign(&request)
        let once = request
        try signer.sign(&request)
        #expect(request == once)
    }

    @Test(
        "Fields that a proxy may change aren't signed",
        arguments: ["User-Agent": "a", "Connection": "close", "Host": "example.amazonaws.com"] as Header
    )
    func unsignedField(field: Field) throws {
        var (plain, request) = (try request("/"), try request("/"))
        request.header.add(field)
        let signer = AWSSignatureV4(Self.credentials(), region: "us-east-1", service: "service") { Self.date }
        try signer.sign(&plain)
        try signer.sign(&request)
        #expect(request.header[.authorization] == plain.header[.authorization])
    }

    @Test("A query item without a name is signed with its value")
    func namelessItem() throws {
        let signer = AWSSignatureV4(Self.credentials(), region: "us-east-1", service: "service") { Self.date }
        let signatures = try ["/?=a", "/?a", "/?a="].map { target in
            var request = try request(target)
            try signer.sign(&request)
            return request.header[.authorization]
        }
        #expect(signatures[0] != signatures[1])
        #expect(signatures[1] == signatures[2])
    }

    private func request(_ target: String) throws -> PreparedRequest {
        try PreparedRequest(url: RequestURL("https://example.amazonaws.com" + target))
    }

    @Test("A body that can be read only once is refused by other services than S3, and a file is read twice")
    func bodies() throws {
        let provider = AuthenticationProvider.awsSigV4(Self.credentials(), region: "eu", service: "s3") { Self.date }
        let lambda = AuthenticationProvider.awsSigV4(Self.credentials(), region: "eu", service: "lambda") { Self.date }
        let api = BaseURL("https://b.s3.amazonaws.com")
        let once = api.put(.chunks(AsyncStream<Data> { $0.finish() }, length: 1), to: "/a").authenticated(
            with: lambda
        )
        #expect(throws: RequestError.self) { try once.prepared() }
        let file = FileManager.default.temporaryDirectory.appending(path: "aws-\(UUID())")
        try Data("Hello".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let whole = try api.put(.file(file), to: "/a").authenticated(with: provider).prepared()
        let hello = "185f8db32271fe25f561a6fc938b2e264306ec304eda518007d1764826381969"
        #expect(whole.header["X-Amz-Content-SHA256"] == hello)
    }
}
