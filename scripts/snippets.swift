// The names that examples in symbol documentation use without declaring them.

import Foundation
import Requests
import RequestsCache
import RequestsClient
import RequestsCompression
import RequestsCurl
import RequestsSchemes
import RequestsURLSession
import RequestsUploads

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

let api = BaseURL("https://api.example.com")
nonisolated(unsafe) var client = Client(transport: CurlTransport.shared)
nonisolated(unsafe) var configuration = Client.Configuration()
nonisolated(unsafe) var connections = CurlTransport.Connections()
nonisolated(unsafe) var request = api.get(.data, from: "/users")
nonisolated(unsafe) var user: User = placeholder()
let response: Response<ResponseBody> = placeholder()
let result: NetworkResult<User> = placeholder()
let urlRequest: URLRequest = placeholder()
let runner: ExchangeRunner = placeholder()
let library: Library = placeholder()
let transport = CurlTransport.shared
let saved: AccessToken? = nil
let ada: User = placeholder()
let page: Page = placeholder()
let file: FileHandle = placeholder()
let url: URL = placeholder(), photo: URL = placeholder(), logo: URL = placeholder()
let urls: [URL] = []
let credentials = AWSCredentials(accessKeyID: "AKIDEXAMPLE", secretAccessKey: "secret")
let bucket = BaseURL("https://bucket.s3.amazonaws.com")
let server = OAuth2(tokenURL: URL("https://login.example.com/token"), client: .public(id: "app"))
let pkce: PKCE = placeholder()
let login = client
let id = 7
let head: ResponseHead = placeholder()
let stored: HTTPCache.StoredResponse = placeholder()
let name = "Ada", term = "tea", password = "pass", token = "token", key = "key"
let primary = "x4QzPSC810K5/cMjb05Qm4k3Bw5zBn4lTdO/nEW/Td4=", backup = primary

struct User: Codable, Sendable { var name: String }
struct Post: Codable, Sendable {}
struct Issue: Codable, Sendable {}
struct Page: Codable, Sendable { var next: URL }
struct Login: Codable, Sendable { var token: String, refreshToken: String? }
struct Problem: Codable, Sendable, Error { var title: String }
func signature(of request: PreparedRequest) throws -> String { placeholder() }

typealias MyTransport = CurlTransport

/// An HTTP library that a transport wraps.
struct Library: Sendable {
    func execute(_ url: String) async throws -> (status: Int, body: AsyncThrowingStream<Data, any Error>) { placeholder() }
}

extension AnonymousRequestProvider {
    func user(_ id: Int) -> Request<AnonymousRequestProvider, User> { get(json: User.self, from: "/users/\(id)") }
}

func show(_ user: User, at url: URL?) {}
func show(_ error: any Error) {}
func placeholder<Value>() -> Value { fatalError() }
