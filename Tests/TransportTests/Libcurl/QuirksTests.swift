import Testing

@testable import RequestsCurl

@Suite("Quirks of libcurl", .timeLimit(.minutes(5)))
struct QuirksTests {
    private static let all: [(name: String, path: any WritableKeyPath<Quirks, Bool> & Sendable)] = [
        ("closesAfterResets", \.closesAfterResets), ("keepsFreedFields", \.keepsFreedFields),
        ("ownsBuffers", \.ownsBuffers), ("dropsSurplus", \.dropsSurplus), ("reportsErrorsLate", \.reportsErrorsLate),
        ("switchesAgain", \.switchesAgain),
        ("stallsInsideTLS", \.stallsInsideTLS), ("readsWhilePaused", \.readsWhilePaused),
        ("watchesPaused", \.watchesPaused),
        ("checksConnectionsRarely", \.checksConnectionsRarely), ("stallsUploads", \.stallsUploads),
        ("holdsBackData", \.holdsBackData), ("failsAfterUploads", \.failsAfterUploads),
        ("logsRefusals", \.logsRefusals),
        ("waitsForAddresses", \.waitsForAddresses),
    ]

    @Test("Every quirk is in the table of these tests")
    func table() {
        #expect(Mirror(reflecting: Quirks.linked).children.map(\.label) == QuirksTests.all.map(\.name))
    }

    @Test(
        "A quirk belongs to the versions that have it",
        arguments: [
            (781, ["ownsBuffers", "dropsSurplus", "stallsInsideTLS", "stallsUploads", "waitsForAddresses"]),
            (
                783,
                [
                    "keepsFreedFields", "ownsBuffers", "dropsSurplus", "stallsInsideTLS", "stallsUploads",
                    "waitsForAddresses",
                ]
            ),
            (
                787,
                [
                    "keepsFreedFields", "ownsBuffers", "dropsSurplus", "stallsInsideTLS", "stallsUploads",
                    "waitsForAddresses",
                ]
            ),
            (
                788,
                [
                    "closesAfterResets", "keepsFreedFields", "ownsBuffers", "dropsSurplus", "switchesAgain",
                    "stallsInsideTLS",
                    "stallsUploads", "waitsForAddresses",
                ]
            ),
            (
                800,
                [
                    "closesAfterResets", "keepsFreedFields", "ownsBuffers", "dropsSurplus", "readsWhilePaused",
                    "failsAfterUploads", "waitsForAddresses",
                ]
            ),
            (
                801,
                [
                    "closesAfterResets", "keepsFreedFields", "ownsBuffers", "dropsSurplus", "readsWhilePaused",
                    "failsAfterUploads", "waitsForAddresses",
                ]
            ),
            (
                802,
                [
                    "closesAfterResets", "ownsBuffers", "dropsSurplus", "readsWhilePaused", "failsAfterUploads",
                    "waitsForAddresses",
                ]
            ),
            (
                805,
                [
                    "closesAfterResets", "ownsBuffers", "dropsSurplus", "readsWhilePaused", "watchesPaused",
                    "holdsBackData", "failsAfterUploads", "waitsForAddresses",
                ]
            ),
            (
                806,
                [
                    "closesAfterResets", "ownsBuffers", "dropsSurplus", "readsWhilePaused", "failsAfterUploads",
                    "waitsForAddresses",
                ]
            ),
            (
                807,
                ["closesAfterResets", "readsWhilePaused", "failsAfterUploads", "waitsForAddresses"]
            ),
            (
                814,
                ["closesAfterResets", "readsWhilePaused", "failsAfterUploads", "waitsForAddresses"]
            ),
            (815, ["readsWhilePaused", "failsAfterUploads", "waitsForAddresses"]),
            (816, ["reportsErrorsLate", "failsAfterUploads", "waitsForAddresses"]),
            (818, ["reportsErrorsLate", "failsAfterUploads", "waitsForAddresses"]),
            (819, ["reportsErrorsLate", "failsAfterUploads", "logsRefusals", "waitsForAddresses"]),
            (820, ["reportsErrorsLate", "failsAfterUploads", "logsRefusals", "waitsForAddresses"]),
            (821, ["reportsErrorsLate", "failsAfterUploads", "logsRefusals"]),
            (
                822,
                [
                    "reportsErrorsLate", "checksConnectionsRarely", "failsAfterUploads",
                    "logsRefusals",
                ]
            ),
            (823, ["reportsErrorsLate", "checksConnectionsRarely", "logsRefusals"]),
        ]
    )
    func versions(libcurl: Int, expected: [String]) {
        let quirks = Quirks(of: libcurl, nghttp2: 152)
        #expect(QuirksTests.all.filter { quirks[keyPath: $0.path] }.map(\.name) == expected)
    }

    @Test("nghttp2 1.67 needs a closed connection after a reset with every libcurl", arguments: [166, 167, 168])
    func library(version: Int) {
        #expect(Quirks(of: 820, nghttp2: version).closesAfterResets == (version == 167))
    }

    @Test(
        "libcurl's TLS library is the one that isn't in parentheses",
        arguments: [
            ("OpenSSL/3.0.20", "OpenSSL/3.0.20", true), ("(SecureTransport) LibreSSL/3.3.6", "LibreSSL/3.3.6", true),
            ("OpenSSL/3.5.1 (SecureTransport)", "OpenSSL/3.5.1", true), ("quictls/3.1.4", "quictls/3.1.4", true),
            ("GnuTLS/3.7.9 (OpenSSL/3.0.20)", "GnuTLS/3.7.9", false), ("BoringSSL", "BoringSSL", true),
            ("(OpenSSL/3.0.20) (GnuTLS/3.7.9) wolfSSL/5.7.0", "wolfSSL/5.7.0", false), ("", "", false),
        ]
    )
    func tlsLibrary(list: String, name: String, isOpenSSLFamily: Bool) {
        let library = TLSLibrary(list)
        #expect(library.name == name)
        #expect(library.isOpenSSLFamily == isOpenSSLFamily)
    }

    @Test("With the LibreSSL of Apple's libcurl, keys are read from memory and authorities can't be replaced")
    func appleLibrary() throws {
        let library = TLSLibrary("(SecureTransport) LibreSSL/3.3.6")
        var tls = CurlTransport.TLS()
        tls.clientCertificate = .pem(certificate: Data("a".utf8), key: Data("b".utf8))
        try tls.validate(for: library)
        let url = URL.temporaryDirectory.appending(path: "authorities-\(UUID()).pem")
        let pem = Data("-----BEGIN CERTIFICATE-----\n".utf8)
        try pem.write(to: url)
        defer { try? FileManager.default.removeItem(at: url) }
        for authorities in [CurlTransport.TLS.Authorities.file(url), .pem(pem)] {
            tls.authorities = authorities
            let error = #expect(throws: TransportError.self) { try tls.validate(for: library) }
            #expect(error?.code == .unsupported)
            #expect(error?.message.contains("also trusts the system's authorities") == true)
            try tls.validate(for: TLSLibrary("LibreSSL/3.9.2"))
        }
    }

    @Test(
        "What one version needs works with any other: requests, a canceled body, a paused body and an upload",
        .enabled(if: Nginx.tlsURL != nil, "REQUESTS_NGINX_TLS_URL is not set; scripts/test sets it"),
        .enabled(if: LinkedLibcurl.http2Version != 167, "nghttp2 1.67 takes a canceled stream for an attack"),
        arguments: all.map(\.name)
    )
    func onAnyVersion(name: String) async throws {
        let quirk = try #require(QuirksTests.all.first { $0.name == name })
        var configuration = CurlTransport.Configuration()
        configuration.tls.authorities = .file(try #require(Nginx.authority))
        configuration.quirks[keyPath: quirk.path] = true
        let client = Client(transport: try CurlTransport(configuration: configuration))
        for baseURL in [Nginx.baseURL, Nginx.tlsURL] {
            let api = BaseURL(baseURL: try #require(baseURL))
            let paused = try await client.stream(api.get(.data, from: "/bytes/16m"))
            let canceled = try await client.stream(api.get(.data, from: "/bytes/16m"))
            _ = try await canceled.content.nextChunk()
            canceled.content.cancel()
            #expect(try await client.send(api.get(.data, from: "/json")).count == 2048)
            let upload = api.post(.raw(data: Data(count: 1 << 20)), to: "/echo").receiving(.text)
            #expect(try await client.send(upload).hasSuffix(" \(1 << 20)\n"))
            #expect(try await client.response(for: api.head("/json")).statusCode == 200)
            #expect(try await paused.content.collect(upTo: 16 << 20).count == 16 << 20)
            #expect(try await client.send(api.get(.data, from: "/json")).count == 2048)
        }
    }
}
