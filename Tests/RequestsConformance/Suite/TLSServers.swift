#if os(Linux) || os(macOS)
import Requests
import RequestsClient
import RequestsSystem
import RequestsTesting

/// TLS servers whose certificates are issued by a temporary authority. The `openssl` program creates the certificates
/// and runs the servers.
///
/// Deinitialization stops the servers and removes the files.
final class TLSServers: Sendable {
    /// The certificate of the authority, in PEM format.
    let authority: URL
    private let directory: URL
    /// The running servers. A page server ends when its standard input closes, even if this process crashes. A scripted
    /// server must be killed.
    private let servers = Locked<[Subprocess]>([])
    private let scriptedServers = Locked<[ScriptedServer]>([])

    /// A kind of certificate. Its key is P-256 unless the name says otherwise.
    enum Certificate: String {
        case valid
        case validRSA
        case validP384
        case otherHost
        case expired
        /// The host name is only in the subject's common name.
        case commonName
        /// Like `commonName`, with an alternative name that isn't a host name.
        case commonNameAndMail

        /// Whether the host name is in the certificate's subject.
        fileprivate var isInSubject: Bool { self == .commonName || self == .commonNameAndMail }

        /// The arguments of `openssl req -newkey`.
        fileprivate var key: [String] {
            switch self {
            case .validRSA: ["rsa:2048"]
            case .validP384: ["ec", "-pkeyopt", "ec_paramgen_curve:secp384r1"]
            case .valid, .otherHost, .expired, .commonName, .commonNameAndMail:
                ["ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]
            }
        }
    }

    /// - Returns: `nil` if `openssl` isn't installed.
    init?() throws {
        guard TLSServers.program != nil else { return nil }
        directory = FileManager.default.temporaryDirectory.appending(path: "requests-tls-\(UUID())")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        authority = directory.appending(path: "authority.pem")
        try run([
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
            "-subj", "/CN=Requests test authority", "-keyout", "authority.key", "-out", "authority.pem",
        ])
    }

    deinit {
        for server in scriptedServers.withLock({ $0 }) { server.kill() }
        for server in servers.withLock({ $0 }) {
            server.closeInput()
            _ = try? server.waitUntilExit()
        }
        try? FileManager.default.removeItem(at: directory)
    }

    /// The path of `openssl`. Homebrew's comes before the LibreSSL of macOS, whose `s_server` can't choose a port.
    private static let program = ["/opt/homebrew/bin/openssl", "/usr/local/bin/openssl", "/usr/bin/openssl"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    /// Starts a server that responds to each request with a page.
    ///
    /// - Returns: The URL of the server and the pin of its key.
    func start(_ certificate: Certificate) throws -> (url: RequestURL, pin: String) {
        let name = certificate.rawValue
        try issue(certificate)
        // The shell waits for the end of its input, and then kills the server.
        let script = "\"$0\" \"$@\" & server=$!; read -r _; kill -9 \"$server\""
        let server = try Subprocess(
            "/bin/sh",
            ["-c", script, TLSServers.program ?? "", "s_server", "-accept", "127.0.0.1:0", "-www"]
                + ["-cert", "\(name).pem", "-key", "\(name).key"],
            in: directory
        )
        servers.withLock { $0.append(server) }
        let port = try TLSServers.port(announcedOn: server.output)
        return (try RequestURL("https://127.0.0.1:\(port)/"), try pin(of: name))
    }

    /// Starts a server that sends the same response to each request and keeps the connection open.
    ///
    /// - Parameter name: The ALPN protocol that the server negotiates, such as `h2`. Default: `nil`, none.
    func startScripted(
        _ response: String,
        _ certificate: Certificate = .valid,
        protocol name: String? = nil
    ) throws -> ScriptedServer {
        try issue(certificate)
        let file = certificate.rawValue
        // Computed before the server starts, because a server that isn't killed would block `deinit`.
        let pin = try pin(of: file)
        let server = try Subprocess(
            TLSServers.program ?? "",
            ["s_server", "-accept", "127.0.0.1:0", "-cert", "\(file).pem", "-key", "\(file).key"]
                // Session tickets are turned off, because they would be unread data on an idle connection.
                + (name.map { ["-alpn", $0, "-num_tickets", "0"] } ?? []),
            in: directory
        )
        servers.withLock { $0.append(server) }
        let port = try TLSServers.port(announcedOn: server.output)
        let url = try RequestURL("https://127.0.0.1:\(port)/")
        let scripted = ScriptedServer(url: url, pin: pin, process: server)
        scriptedServers.withLock { $0.append(scripted) }
        scripted.respond(with: response)
        return scripted
    }

    /// Reads the output up to the line `ACCEPT 127.0.0.1:port`, and returns the port.
    private static func port(announcedOn output: OpenFile) throws -> String {
        var text = ""
        while true {
            guard let data = try output.read(upTo: 4096) else {
                let reason = "openssl s_server didn't start; run it in a terminal to see why"
                throw TransportConformance.ExpectationFailure(description: reason)
            }
            text += String(decoding: data, as: UTF8.self)
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            if let line = lines.first(where: { $0.hasPrefix("ACCEPT ") }), let port = line.split(separator: ":").last {
                return String(port)
            }
        }
    }

    private func issue(_ certificate: Certificate) throws {
        let name = certificate.rawValue
        let names =
            switch certificate {
            case .otherHost: "subjectAltName=DNS:elsewhere.example\n"
            case .commonName: ""
            case .commonNameAndMail: "subjectAltName=email:ada@example.com\n"
            case .valid, .validRSA, .validP384, .expired: "subjectAltName=IP:127.0.0.1,DNS:localhost\n"
            }
        try Data("\(names)basicConstraints=CA:FALSE\n".utf8).write(to: file("\(name).ext"))
        try run(
            ["req", "-new", "-newkey"] + certificate.key
                + [
                    "-nodes", "-subj", "/CN=\(certificate.isInSubject ? "127.0.0.1" : name)", "-keyout",
                    "\(name).key", "-out", "\(name).csr",
                ]
        )
        let sign = [
            "x509", "-req", "-in", "\(name).csr", "-CA", "authority.pem", "-CAkey", "authority.key", "-CAcreateserial",
            "-extfile", "\(name).ext", "-out", "\(name).pem",
        ]
        guard certificate == .expired else { return try run(sign + ["-days", "2"]) }
        do {
            try run(sign + ["-not_before", "20200101000000Z", "-not_after", "20200102000000Z"])
        } catch {
            // OpenSSL before 3.4 has no option for dates, and later versions reject negative days.
            try run(sign + ["-days", "-1"])
        }
    }

    /// Returns the pin of a key: the Base64 of the SHA-256 of its SubjectPublicKeyInfo.
    private func pin(of name: String) throws -> String {
        try run(["pkey", "-in", "\(name).key", "-pubout", "-outform", "DER", "-out", "\(name).spki"])
        try run(["dgst", "-sha256", "-binary", "-out", "\(name).sha256", "\(name).spki"])
        return try Data(contentsOf: file("\(name).sha256")).base64EncodedString()
    }

    private func file(_ name: String) -> URL {
        directory.appending(path: name)
    }

    private func run(_ arguments: [String]) throws {
        guard try Subprocess.run(TLSServers.program ?? "", arguments, in: directory).status == 0 else {
            throw TransportConformance.ExpectationFailure(
                description: "openssl \(arguments.joined(separator: " ")) failed"
            )
        }
    }
}
#endif
