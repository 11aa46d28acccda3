#if os(Linux) || os(macOS)
import Foundation
import Requests
import RequestsClient

/// Servers over TLS, with certificates of an authority that is made on the spot: the `openssl` program does both.
///
/// What it starts and writes ends with it.
final class TLSServers: Sendable {
    /// The authority's certificate, in PEM.
    let authority: URL
    private let directory: URL
    /// One that answers with a page ends when its input does: with this process, however that ends. One that plays has
    /// to be killed.
    private let servers = Locked<[Subprocess]>([])
    private let players = Locked<[Playing]>([])

    /// Whose name a certificate has, until when, and what its key is: one of P-256 where it says nothing else.
    enum Certificate: String {
        case valid
        case validRSA
        case validP384
        case otherHost
        case expired
        /// One that has the host's name where names were before they had a place of their own.
        case commonName
        /// One that has names beside it, but none of a host.
        case commonNameAndMail

        /// Whether the host's name is that of the certificate's subject.
        fileprivate var isInSubject: Bool { self == .commonName || self == .commonNameAndMail }

        /// How `openssl req -newkey` is told of the key.
        fileprivate var key: [String] {
            switch self {
            case .validRSA: ["rsa:2048"]
            case .validP384: ["ec", "-pkeyopt", "ec_paramgen_curve:secp384r1"]
            case .valid, .otherHost, .expired, .commonName, .commonNameAndMail:
                ["ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]
            }
        }
    }

    /// - Returns: `nil` where there is no `openssl`.
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
        for player in players.withLock({ $0 }) { player.kill() }
        for server in servers.withLock({ $0 }) {
            try? server.input.close()
            _ = try? server.waitUntilExit()
        }
        try? FileManager.default.removeItem(at: directory)
    }

    /// Homebrew's before the system's: that of macOS is LibreSSL, whose servers take no port but a fixed one.
    private static let program = ["/opt/homebrew/bin/openssl", "/usr/local/bin/openssl", "/usr/bin/openssl"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    /// Starts a server that answers each request with a page.
    ///
    /// - Returns: Its URL, and the pin of its key.
    func start(_ certificate: Certificate) throws -> (url: RequestURL, pin: String) {
        let name = certificate.rawValue
        try issue(certificate)
        // The shell waits for the end of its input and takes the server with it.
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

    /// Starts a server that plays a reply to each request, and ends neither the reply nor the connection.
    func startPlaying(_ reply: String) throws -> Playing {
        try issue(.valid)
        // Before the server starts: one that does not become a player is never killed, and is waited for.
        let pin = try pin(of: "valid")
        let server = try Subprocess(
            TLSServers.program ?? "",
            ["s_server", "-accept", "127.0.0.1:0", "-cert", "valid.pem", "-key", "valid.key"],
            in: directory
        )
        servers.withLock { $0.append(server) }
        let port = try TLSServers.port(announcedOn: server.output)
        let url = try RequestURL("https://127.0.0.1:\(port)/")
        let playing = Playing(url: url, pin: pin, process: server)
        players.withLock { $0.append(playing) }
        playing.play(reply)
        return playing
    }

    /// Reads until the server says `ACCEPT 127.0.0.1:port`.
    private static func port(announcedOn handle: FileHandle) throws -> String {
        var text = ""
        while true {
            let data = handle.availableData
            guard !data.isEmpty else { throw TransportConformance.Unmet(description: "openssl s_server did not start") }
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
            case .valid, .validRSA, .validP384, .expired: "subjectAltName=IP:127.0.0.1\n"
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
            // OpenSSL before 3.4 has no option for dates, and later versions take no negative number.
            try run(sign + ["-days", "-1"])
        }
    }

    /// The Base64 of the SHA-256 of the key's SubjectPublicKeyInfo.
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
            throw TransportConformance.Unmet(description: "openssl \(arguments.joined(separator: " ")) failed")
        }
    }
}
#endif
