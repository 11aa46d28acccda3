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

    /// Computed with botocore: the first half of the signature of the request, and of that of its presigned URL.
    private static let signedPaths: [(path: String, signature: String, presigned: String)] = [
        ("/model/anthropic.claude-3:0/invoke", "0647f9195ad6669a44d1a4d0b76ec583", "781ba7e2a102ef93a1262fea257aa357"),
        (
            "/model/anthropic.claude-3%3A0/invoke", "a87b49107be878f5b2f70492a28fcd3c",
            "0383df39bb69b31b5906270cf18965ea"
        ),
        ("/a@b", "ec03b92fd722c2c173daa4b909fb927a", "f8e0e7d3bd869759e9592c2260e697ba"),
        ("/a=b", "33c613ba4308136aea361ee627096ff0", "d623dfd46d67012b23c96df1cc8199aa"),
        ("/a+b", "accf4cbb95ccdb911743e495a5fa90a4", "53fae6aa51bd7180000fe566ed95e51f"),
        ("/a,b", "4d79eec4dfeb171078eaf5750383bd0a", "e01789a471f0b7f29635df97d3ea7980"),
        ("/a;b", "fe2f9b66c3db967539c629e5c1194ce0", "0d39197154fae7ebc1251548ef5eb940"),
        ("/a!b", "73fb217dbcffbfd3829be18004a7af34", "6e0489e78c9682db82f96a6fd5362805"),
        ("/a$b", "0a32f4a82bbf2ad6b135189d1437bdcf", "9b8fe97295a8bbd67239badd0d22b045"),
        ("/a&b", "b8674fbfde34430bfedec398288ef251", "86f19f40c5ccb2bd23e988137ab1d573"),
        ("/a'b", "44558570492c8bde5072deee31bc5ae5", "54c7e9f2d8dce74f074107002a266f74"),
        ("/a(b)", "2a8fac3feb840842a84bcf57fe0bdb47", "dc5fdf684277a183285cde6673fd25f4"),
        ("/a*b", "20779c9a0621cdb1c7cf79bec2d2091f", "aaaed02c805e34ccd5a2129f11aff51f"),
        ("/a%3ab", "b322565dd43bbccc2fb3d9ec89538ef9", "ca85134382301f1b5d3fd80257115ee9"),
        ("/a%20b%2Fc", "9f0a9ba11a5b6f4a861b9c16ca96034b", "29335a4050bcac623adac44459cac870"),
        ("/a%7Eb~c", "e2635e87aa32914d21afb0eaa4acc98e", "c0b63edd03715d1b473270148844f4b3"),
        ("/a:b//c:d/", "0dd683eff097052c4eea9a8d55e51800", "d8493558045af4ceaa2532111018b5e1"),
        ("/%E2%82%AC", "ef97bda39829119aa23d72eff64e50d9", "05f4f80f9dbc72179ffb715a3d63bf5e"),
        ("/@connections/L0SM9cOFvHcCIhw=", "c266aca22b23ce0dc94199b43f13fb92", "c2b28d93e9ddb16938355a44ec13bf5c"),
        ("/a%2B+b", "a313044a6583f256861c1bdcb6dea772", "83b3c0069b208280e022172226e0ea80"),
    ]

    @Test("A path is signed as it is sent, with each segment encoded once", arguments: signedPaths.map(\.path))
    func paths(path: String) throws {
        let (_, signature, presigned) = try #require(Self.signedPaths.first { $0.path == path })
        var request = try request(path)
        let signer = AWSSignatureV4(Self.credentials(), region: "us-east-1", service: "service") { Self.date }
        let link = try signer.presignedURL(for: request, expiresAfter: .seconds(60))
        try signer.sign(&request)
        #expect(request.url.text == "https://example.amazonaws.com" + path)
        #expect(request.header[.authorization]?.contains("Signature=\(signature)") == true)
        #expect(link.absoluteString.contains("X-Amz-Signature=\(presigned)"))
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
