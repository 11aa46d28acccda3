import Foundation
import Requests
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

    @Test("A presigned URL has the documented signature and hides it in descriptions")
    func presigned() throws {
        let request = try PreparedRequest(url: RequestURL(bucket + "/test.txt"))
        let url = try signer().presignedURL(for: request, expiresAfter: .seconds(86_400))
        let signature = "aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404"
        #expect(
            url.text == bucket + "/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256"
                + "&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request"
                + "&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host&X-Amz-Signature="
                + signature
        )
        #expect(!"\(url)".contains(signature))
        #expect(throws: RequestError.self) { try signer().presignedURL(for: request, expiresAfter: .seconds(604_801)) }
    }

    @Test("An unsigned payload is announced")
    func unsigned() throws {
        var request = try PreparedRequest(method: .put, url: RequestURL(bucket + "/a"), body: .data(Data("a".utf8)))
        try signer(.unsigned).sign(&request)
        #expect(request.header["X-Amz-Content-SHA256"] == "UNSIGNED-PAYLOAD")
    }

    private static let chunkSignatures = [
        "ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648",
        "0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497",
        "b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9",
    ]

    @Test("The chunks of a body have the documented signatures, in memory and as a sequence", arguments: [true, false])
    func streamed(inMemory: Bool) async throws {
        let content = Data(repeating: UInt8(ascii: "a"), count: 66_560)
        let pieces = [content.prefix(1000), content.dropFirst(1000)].map { Data($0) }
        var header: Header = ["x-amz-storage-class": "REDUCED_REDUNDANCY"]
        let provider: BodyProvider =
            inMemory
            ? .raw(data: content, contentType: nil)
            : .chunks(AsyncPieces(pieces), length: 66_560, isReplayable: true, contentType: nil)
        var request = try PreparedRequest(
            method: .put,
            url: RequestURL("https://s3.amazonaws.com/examplebucket/chunkObject.txt"),
            header: header,
            body: provider.body(updating: &header)
        )
        try signer(.streamed).sign(&request)
        #expect(
            request.header[.authorization]?
                .hasSuffix("4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9") == true
        )
        #expect(request.header["X-Amz-Decoded-Content-Length"] == "66560")
        #expect(request.body.length == 66_824)
        let sent = try await request.body.collect(upTo: 70_000)
        #expect(sent.count == 66_824)
        let text = String(decoding: sent, as: UTF8.self)
        let found = text.matches(of: /chunk-signature=([0-9a-f]+)\r\n/).map { String($0.1) }
        #expect(found == Self.chunkSignatures)
        #expect(text.hasPrefix("10000;chunk-signature="))
    }

    @Test("Chunks of a body of unknown length can't be signed")
    func unknownLength() throws {
        var header: Header = []
        let body = try BodyProvider.chunks(AsyncPieces([Data()])).body(updating: &header)
        var request = try PreparedRequest(method: .put, url: RequestURL(bucket + "/a"), body: body)
        #expect(throws: RequestError.self) { try signer(.streamed).sign(&request) }
    }
}

/// Chunks that can be iterated again.
private struct AsyncPieces: AsyncSequence, Sendable {
    private let pieces: [Data]

    init(_ pieces: [Data]) {
        self.pieces = pieces
    }

    func makeAsyncIterator() -> Iterator { Iterator(pieces: pieces[...]) }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate var pieces: ArraySlice<Data>

        mutating func next() async -> Data? { pieces.popFirst() }
    }
}
