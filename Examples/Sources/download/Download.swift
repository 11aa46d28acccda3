import Foundation
import RequestsCurl
import RequestsTesting

/// Downloads a file with a progress bar, stops halfway, and resumes.
///
///     download                                      uses its own local server
///     download https://example.com/file.tar <to>    downloads a real file
@main
struct Download {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 1 || arguments.count == 3 else { return print("usage: download [<url> <to>]") }
        let server = arguments.count == 3 ? nil : try FileServer.start()
        guard let url = server?.baseURL.appending(path: "dataset.bin") ?? URL(string: arguments[1]) else {
            throw URLError(.badURL)
        }
        let temporary = FileManager.default.temporaryDirectory.appending(path: "requests-download-\(UUID()).bin")
        let file = server == nil ? URL(filePath: arguments[2]) : temporary
        let client = Client(transport: CurlTransport.shared)
        let request = BaseURL(url).get(.none, from: "")

        do {
            let bar = ProgressBar()
            try await client.download(request, to: file, resume: true) { received, total in
                bar.show(received, of: total)
                // Simulates Ctrl-C. The progress closure runs in the downloading task.
                if received > (total ?? .max) / 2 { withUnsafeCurrentTask { $0?.cancel() } }
            }
        } catch is CancellationError {
            print("\ninterrupted; the received part is kept")
        }
        // A canceled task stays canceled, so resume in another one.
        let response = try await Task {
            let bar = ProgressBar()
            return try await client.download(request, to: file, resume: true) { bar.show($0, of: $1) }
        }.value
        let size = try file.resourceValues(forKeys: [.fileSizeKey]).fileSize ?? 0
        print("\n\(size) bytes; the status code of the last response was \(response.head.statusCode)")
        if server != nil {
            let isWhole = try Data(contentsOf: file) == FileServer.content
            print(isWhole ? "the file is identical to the server's" : "ERROR: the file differs from the server's")
            try FileManager.default.removeItem(at: file)
            guard isWhole else { throw CocoaError(.fileReadCorruptFile) }
        }
        withExtendedLifetime(server) {}
    }
}
