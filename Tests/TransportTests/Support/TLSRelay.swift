#if os(Linux) || os(macOS)
import Foundation
import RequestsConformance
import RequestsSystem
import Testing

/// A program that accepts TLS connections for HTTP/2, and copies their bytes to and from a server without TLS.
final class TLSRelay: Sendable {
    let url: URL
    private let process: Subprocess
    private let directory: URL

    private static let program = """
        import asyncio, ssl, subprocess, sys

        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
            "-nodes", "-subj", "/CN=relay", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", "relay.pem",
            "-out", "certificate.pem"], check=True, stderr=subprocess.DEVNULL)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain("certificate.pem", "relay.pem")
        context.set_alpn_protocols(["h2"])

        async def copy(reader, writer):
            try:
                while data := await reader.read(65536):
                    writer.write(data)
                    await writer.drain()
            finally:
                writer.close()
                # A client may not respond to the end of the TLS connection.
                asyncio.get_running_loop().call_later(1, writer.transport.abort)

        async def serve(reader, writer):
            other = await asyncio.open_connection("127.0.0.1", int(sys.argv[1]))
            await asyncio.gather(copy(reader, other[1]), copy(other[0], writer), return_exceptions=True)

        async def run():
            server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context)
            print(server.sockets[0].getsockname()[1], flush=True)
            await asyncio.to_thread(sys.stdin.read)

        asyncio.run(run())
        """

    init(to server: URL) throws {
        directory = FileManager.default.temporaryDirectory.appending(path: "requests-relay-\(UUID())")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let arguments = ["python3", "-c", TLSRelay.program, "\(server.port ?? 0)"]
        process = try Subprocess("/usr/bin/env", arguments, in: directory)
        var port = ""
        while !port.hasSuffix("\n"), let data = try process.output.read(upTo: 16) {
            port += String(decoding: data, as: UTF8.self)
        }
        url = try #require(URL(string: "https://127.0.0.1:\(port.dropLast())/"))
    }

    /// The certificate of the relay in PEM format.
    var certificate: URL { directory.appending(path: "certificate.pem") }

    deinit {
        process.closeInput()
        _ = try? process.waitUntilExit()
        try? FileManager.default.removeItem(at: directory)
    }
}
#endif
