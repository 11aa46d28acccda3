import RequestsTesting
import RequestsUploads

/// A suite whose tests send uploads of 100 bytes to a stub.
protocol UploadSuite {}

extension UploadSuite {
    static var resource: Field { Field(name: "Location", value: "/uploads/s3cret") }
    static var complete: Field { Field(name: "Upload-Complete", value: "?1") }
    static var incomplete: Field { Field(name: "Upload-Complete", value: "?0") }
    static func offset(_ value: Int) -> Field { Field(name: "Upload-Offset", value: "\(value)") }
    static func limit(_ value: String) -> Field { Field(name: "Upload-Limit", value: value) }

    static var body: Data { Data((0..<100).map { UInt8($0) }) }

    var api: BaseURL { BaseURL("https://a.example") }

    var request: Request<BaseURL, Data> { api.post(.raw(data: Self.body), to: "/videos", receiving: .data) }

    /// A reply after a 104 that names the upload resource.
    func supported(_ reply: StubTransport.Reply, at location: Field = resource, _ more: Field...) -> StubTransport.Reply
    {
        reply.preceded(
            by: 104,
            header: Header([Field(name: "Upload-Draft-Interop-Version", value: "8"), location] + more)
        )
    }

    func client(_ stub: StubTransport, retries: RetryPolicy? = .fixed(.zero)) -> Client {
        var client = Client(transport: stub)
        client.configuration.retries = retries
        return client
    }

    /// The requests of a stub, in short: method, path, `Upload-Complete`, `Upload-Offset` and length of the body.
    func requests(_ stub: StubTransport) -> [String] {
        stub.requests.map { request in
            let fields = [
                request.header["Upload-Complete" as Field.Name], request.header["Upload-Offset" as Field.Name],
            ]
            let length = request.body.isNone ? [] : ["\(request.body.length ?? -1) bytes"]
            return ([request.method.rawValue, request.url.path] + fields.compactMap { $0 } + length)
                .joined(separator: " ")
        }
    }

    /// The bytes that an upload resource has received, each from its offset.
    func received(_ stub: StubTransport) -> Data {
        stub.requests.filter { $0.method == .patch }.reduce(into: Data()) { all, request in
            let offset = request.header["Upload-Offset" as Field.Name].flatMap { Int($0) } ?? 0
            all = all.prefix(offset) + (request.body.data ?? Data())
        }
    }
}

extension Client {
    /// The error of an upload.
    func uploadError(
        _ request: some PreparableRequest,
        protocol form: UploadProtocol = .draft(8),
        partSize: Int64? = nil,
        state: URL? = nil
    ) async -> any Error {
        do {
            let response = try await upload(request, protocol: form, partSize: partSize, state: state)
            return NoError(response: "\(response)")
        } catch {
            return error
        }
    }
}

struct NoError: Error { let response: String }
