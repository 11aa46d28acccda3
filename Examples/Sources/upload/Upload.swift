import Foundation
import RequestsCurl
import RequestsTesting

/// Uploads a file in a form (`multipart/form-data`), and prints the progress.
///
///     upload                                uploads a sample file to its own local server
///     upload https://example.com/ <file>    uploads a file to a real server
@main
struct Upload {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 1 || arguments.count == 3 else { return print("usage: upload [<url> <file>]") }
        let server = arguments.count == 3 ? nil : try FormServer.start()
        guard let url = server?.baseURL ?? URL(string: arguments[1]) else { throw URLError(.badURL) }
        let sample = FileManager.default.temporaryDirectory.appending(path: "requests-upload-\(UUID()).bin")
        defer { try? FileManager.default.removeItem(at: sample) }
        let file = server == nil ? URL(filePath: arguments[2]) : sample
        if server != nil { try Data(count: 20_000_000).write(to: file) }

        let client = Client(transport: CurlTransport.shared)
        let quarters = Quarters()
        // The file is read chunk by chunk while it is sent.
        let form = BodyProvider.multipart([.field("title", "Summer"), .file("photo", file, contentType: .binary)])
        let answer = try await client.send(
            BaseURL(url).post(form, to: "/photos").receiving(.text).observing { event in
                if case .sent(let bytes, let total?) = event { quarters.report(bytes, of: total) }
                if case .ended(let metrics) = event { print("sent \(metrics.sentBodyBytes) bytes") }
            }
        )
        print("the server received: \(answer)")
        withExtendedLifetime(server) {}
    }
}

/// A server that responds with the size of the request.
private enum FormServer {
    static func start() throws -> LoopbackServer {
        try LoopbackServer.http { request in
            let type = request.header[.contentType] ?? "nothing"
            let parts = request.body.split(separator: Data("Content-Disposition: ".utf8)).count - 1
            return .init(201, .plainText, "\(parts) parts, \(request.body.count) bytes of \(type.prefix { $0 != ";" })")
        }
    }
}
