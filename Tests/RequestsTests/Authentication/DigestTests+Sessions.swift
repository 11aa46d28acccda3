import RequestsTesting
import Testing

// The state between requests.
extension DigestTests {
    @Test("A wrong password is sent once per challenge and not sent in advance afterwards")
    func wrongPassword() async throws {
        let client = client([challenge(Self.common)])
        let request = api.get(.none, from: "/").authenticated(with: provider)
        #expect(try await client.stream(request).history.count == 1)
        #expect(try await client.stream(request).history.count == 1)
        #expect(sent.recorded.map { $0.header.contains(.authorization) } == [false, true, false, true])
    }

    @Test("A stale nonce is replaced, but a server that always says stale can't cause an endless loop")
    func stale() async throws {
        let fresh = challenge(#"\#(Self.realm), nonce="next", qop=auth, stale=TRUE"#)
        let response = try await client([challenge(Self.common), fresh, (200, [])])
            .stream(api.get(.none, from: "/dir/index.html").authenticated(with: provider))
        #expect(response.head.statusCode == 200)
        #expect(response.history.count == 2)
        #expect(credentials(2)?.contains(#"nonce="next", nc=00000001"#) == true)
        #expect(credentials(2)?.contains("68b73f9d81c5b8acb2e77fd72eca7327") == true)

        let endless = client([fresh])
        #expect(
            try await endless.stream(api.get(.none, from: "/").authenticated(with: provider)).head.statusCode == 401
        )
        #expect(sent.count == 3 + 5)
    }

    @Test("After the first challenge, requests contain credentials from the start and count the nonce")
    func preemptive() async throws {
        let client = client([challenge(#"\#(Self.common), qop=auth"#), (200, [])])
        try await client.send(api.get(.none, from: "/dir/index.html").authenticated(with: provider))
        try await client.send(api.get(.none, from: "/other").with(query: ["a": "b"]).authenticated(with: provider))
        #expect(sent.count == 3)
        #expect(credentials(2)?.contains(#"uri="/other?a=b""#) == true)
        #expect(credentials(2)?.contains("nc=00000002") == true)
        #expect(credentials(2)?.contains("f5816f95a2f856a28e85162bc76e2a36") == true)
    }

    @Test("The count of the nonce has eight hexadecimal digits")
    func hexadecimalCount() async throws {
        let client = client([challenge(#"\#(Self.common), qop=auth"#), (200, [])])
        for _ in 0..<17 {
            try await client.send(api.get(.none, from: "/").authenticated(with: provider))
        }
        #expect(credentials(10)?.contains("nc=0000000a") == true)
        #expect(credentials(16)?.contains("nc=00000010") == true)
        #expect(credentials(17)?.contains("nc=00000011") == true)
    }

    @Test("A nextnonce is used, and its count starts at 1")
    func nextNonce() async throws {
        let info: Header = [Field(name: "Authentication-Info", value: #"qop=auth, nextnonce="next", nc=00000001"#)]
        let client = client([challenge(#"\#(Self.common), qop=auth"#), (200, info)])
        for _ in 0..<2 {
            try await client.send(api.get(.none, from: "/dir/index.html").authenticated(with: provider))
        }
        #expect(credentials(2)?.contains(#"nonce="next", nc=00000001"#) == true)
        #expect(credentials(2)?.contains("68b73f9d81c5b8acb2e77fd72eca7327") == true)
    }

    @Test(
        "The session key of a -sess algorithm is made of the first nonces and stays the same",
        arguments: [
            ("", "10939430f10c6c5ac22427ff76e0d6fa"), (#"nextnonce="next""#, "df08aef71325848bde2dd3be7adb7a5d"),
        ]
    )
    func sessionKey(info: String, response: String) async throws {
        let asked = Recorder<Void>()
        let provider = AuthenticationProvider.digest(username: "Mufasa", password: "Circle of Life") {
            asked.record()
            // Skips the first request, which came before the challenge.
            return "c\(asked.count - 1)"
        }
        let last: (Int, Header) = (200, [Field(name: "Authentication-Info", value: info)])
        let client = client([challenge(#"\#(Self.common), qop=auth, algorithm=MD5-sess"#), last])
        for _ in 0..<2 {
            try await client.send(api.get(.none, from: "/dir/index.html").authenticated(with: provider))
        }
        #expect(credentials(1)?.contains(#"cnonce="c1""#) == true)
        #expect(credentials(2)?.contains(#"cnonce="c2""#) == true)
        #expect(credentials(2)?.contains(response) == true)
    }

    @Test("Credentials are sent only to the server that asked for them")
    func origins() async throws {
        let client = client([challenge(#"\#(Self.common), qop=auth"#), (200, [])])
        try await client.send(api.get(.none, from: "/").authenticated(with: provider))
        for url in ["https://www.example.org", "http://example.org", "http://www.example.org:81"] {
            try await client.send(
                BaseURL(baseURL: try RequestURL(url).url).get(.none, from: "/")
                    .authenticated(with: provider)
            )
        }
        #expect(sent.recorded.map { $0.header.contains(.authorization) } == [false, true, false, false, false])
    }

    @Test("Client nonces are random")
    func randomNonces() async throws {
        let provider = AuthenticationProvider.digest(username: "u", password: "p")
        let client = client([challenge(#"\#(Self.common), qop=auth"#), (200, [])])
        for _ in 0..<3 { try await client.send(api.get(.none, from: "/").authenticated(with: provider)) }
        let nonces = (1...3).compactMap { credentials($0)?.components(separatedBy: "cnonce=").last?.prefix(28) }
        #expect(Set(nonces).count == 3)
    }
}
