// The names that the examples in symbol documentation use without saying what they are.

import Foundation
import Requests
import RequestsClient
import RequestsCurl
import RequestsURLSession

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

let api = AnonymousRequestProvider("https://api.example.com")
nonisolated(unsafe) var client = Client(transport: CurlTransport.shared)
nonisolated(unsafe) var configuration = Client.Configuration()
nonisolated(unsafe) var connections = CurlTransport.Connections()
nonisolated(unsafe) var request = api.get(.data, from: "/users")
nonisolated(unsafe) var user: User = unsaid()
let response: Response<ResponseBody> = unsaid()
let result: NetworkResult<User> = unsaid()
let urlRequest: URLRequest = unsaid()
let runner: ExchangeRunner = unsaid()
let library: Library = unsaid()
let transport = CurlTransport.shared
let saved: TokenStore.Token? = nil
let ada: User = unsaid()
let page: Page = unsaid()
let file: FileHandle = unsaid()
let url: URL = unsaid(), photo: URL = unsaid(), logo: URL = unsaid()
let urls: [URL] = []
let name = "Ada", term = "tea", password = "pass", token = "token", key = "key"
let primary = "x4QzPSC810K5/cMjb05Qm4k3Bw5zBn4lTdO/nEW/Td4=", backup = primary

struct User: Codable, Sendable { var name: String }
struct Post: Codable, Sendable {}
struct Issue: Codable, Sendable {}
struct Page: Codable, Sendable { var next: URL }
struct Login: Codable, Sendable { var token: String, refreshToken: String? }
struct Problem: Codable, Sendable, Error { var title: String }
func signature(of request: PreparedRequest) throws -> String { unsaid() }

typealias MyTransport = CurlTransport

/// Another HTTP library, which a transport is written for.
struct Library: Sendable {
    func execute(_ url: String) async throws -> (status: Int, body: AsyncThrowingStream<Data, any Error>) { unsaid() }
}

extension AnonymousRequestProvider {
    func user(_ id: Int) -> Request<AnonymousRequestProvider, User> { get(json: User.self, from: "/users/\(id)") }
}

func show(_ user: User, at url: URL?) {}
func show(_ error: any Error) {}
func unsaid<Value>() -> Value { fatalError() }
