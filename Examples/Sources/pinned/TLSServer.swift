import Foundation

/// A TLS server with a temporary certificate. The `openssl` program creates the certificate and runs the server.
final class TLSServer {
    let url: URL
    /// The self-signed certificate, in PEM format.
    let certificate: URL
    /// The pin: the Base64 of the SHA-256 of the key's SubjectPublicKeyInfo.
    let pin: String
    private let directory: URL
    /// The server's input. The server ends when it closes, even if this process crashes.
    private let input = Pipe()

    private static let script = """
        set -e
        openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=pinned \
            -addext subjectAltName=IP:127.0.0.1 -keyout key.pem -out certificate.pem
        openssl pkey -in key.pem -pubout -outform DER | openssl dgst -sha256 -binary | openssl base64
        openssl s_server -accept 127.0.0.1:0 -www -cert certificate.pem -key key.pem &
        read -r _ || kill -9 $!
        """

    /// - Returns: `nil` if `openssl` isn't installed or can't start a server.
    init?() throws {
        directory = FileManager.default.temporaryDirectory.appending(path: "requests-pinned-\(UUID())")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        certificate = directory.appending(path: "certificate.pem")
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", TLSServer.script]
        process.currentDirectoryURL = directory
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        var lines: [String] = []
        // The first line is the pin. `ACCEPT 127.0.0.1:port` follows when the server is ready.
        for line in TLSServer.lines(of: output.fileHandleForReading) {
            lines.append(line)
            if line.hasPrefix("ACCEPT") { break }
        }
        guard let pin = lines.first, let port = lines.last?.split(separator: ":").last.flatMap({ UInt16($0) }),
            let url = URL(string: "https://127.0.0.1:\(port)/")
        else {
            try FileManager.default.removeItem(at: directory)
            return nil
        }
        (self.pin, self.url) = (pin, url)
    }

    deinit {
        try? input.fileHandleForWriting.close()
        try? FileManager.default.removeItem(at: directory)
    }

    private static func lines(of handle: FileHandle) -> some Sequence<String> {
        sequence(state: Data()) { rest in
            while true {
                if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    defer { rest = Data(rest[rest.index(after: end)...]) }
                    return String(decoding: rest[..<end], as: UTF8.self)
                }
                let more = handle.availableData
                guard !more.isEmpty else { return nil }
                rest += more
            }
        }
    }
}
