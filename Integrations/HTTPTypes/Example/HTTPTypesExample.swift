import Foundation
import HTTPTypes
import RequestsCurl
import RequestsHTTPTypes
import RequestsTesting

/// Sends requests of swift-http-types through a client, and hands requests of this library to code that takes them.
@main
struct HTTPTypesExample {
    static func main() async throws {
        let server = try LoopbackServer.http { request in
            let fields = request.header.map(\.name.rawValue).joined(separator: ", ")
            return .init(200, .plainText, "\(request.line.dropLast(9)) with \(fields)")
        }
        var configuration = Client.Configuration()
        configuration.header = [.userAgent("http-types-example")]
        let client = Client(transport: CurlTransport.shared, configuration: configuration)

        print("An HTTPRequest is sent under the policies of the client:")
        let httpRequest = HTTPRequest(
            method: .get,
            scheme: "http",
            authority: server.baseURL.authority,
            path: "/greetings?to=world",
            headerFields: [.acceptLanguage: "en"]
        )
        let (data, response) = try await client.data(for: httpRequest)
        print("\(response.status.code): \(String(decoding: data, as: UTF8.self))")

        print("\nA library that takes a closure gets the same client:")
        let library = Weather(send: client.data(for:))
        print(try await library.forecast(at: server.baseURL))

        print("\nA definition of this library becomes an HTTPRequest:")
        let definition = BaseURL(server.baseURL).get(.text, from: "/users/\("ada/l")")
            .authenticated(with: .bearerToken("s3cret"))
        let converted = try definition.httpRequest()
        print("\(converted.method) \(converted.path ?? "")")
        for field in converted.headerFields {
            print("\(field.name): \(field.indexingStrategy == .disallow ? "<never indexed>" : field.value)")
        }

        print("\nWhat would be sent differently is an error:")
        var request = try definition.prepared()
        request.header.add(Field(name: "X-Note", value: "two\r\nlines"))
        do {
            _ = try request.httpRequest()
        } catch {
            print(error)
        }
        withExtendedLifetime(server) {}
    }
}

/// A library that doesn't know which client sends its requests.
private struct Weather {
    let send: @Sendable (HTTPRequest) async throws -> (Data, HTTPResponse)

    func forecast(at server: URL) async throws -> String {
        let request = HTTPRequest(method: .get, scheme: "http", authority: server.authority, path: "/forecast")
        let (data, response) = try await send(request)
        return "\(response.status.code): \(String(decoding: data, as: UTF8.self))"
    }
}

extension URL {
    fileprivate var authority: String { "\(host() ?? ""):\(port ?? 80)" }
}
