import RequestsClient
import Testing

@Suite("Public key pins", .timeLimit(.minutes(5)))
struct PublicKeyPinsTests {
    private static let one = Data(repeating: 1, count: 32).base64EncodedString()
    private static let two = Data(repeating: 2, count: 32).base64EncodedString()
    private static let three = Data(repeating: 3, count: 32).base64EncodedString()

    private let pins: PublicKeyPins = [
        "API.example.com": [one], "*.example.com": [two], "*.v2.example.com": [three], "[::1]": [one],
    ]

    @Test(
        "The exact name wins, then the longest wildcard, which matches one or more labels",
        arguments: [
            ("api.example.com", [one]), ("API.EXAMPLE.COM", [one]), ("api.example.com.", [one]),
            ("www.example.com", [two]),
            ("a.b.example.com", [two]), ("v2.example.com", [two]), ("a.v2.example.com", [three]),
            ("a.api.example.com", [two]), ("[::1]", [one]), ("example.com", nil), ("example.org", nil),
            ("badexample.com", nil), ("api.example.com.evil.com", nil), ("com", nil), ("", nil), (".", nil),
        ] as [(String, [String]?)]
    )
    func lookup(host: String, expected: [String]?) {
        #expect(pins[host] == expected)
    }

    @Test("Names that differ only in case share their pins")
    func mergedCase() {
        let pins = PublicKeyPins(["H.example": [Self.one], "h.EXAMPLE": [Self.two]])
        #expect(pins["h.example"].map(Set.init) == [Self.one, Self.two])
        let literal: PublicKeyPins = ["h": [Self.one], "h": [Self.two]]
        #expect(literal["h"] == [Self.one, Self.two])
    }

    @Test("The error for several hosts without pins names the first one in alphabetical order")
    func firstHost() {
        let hosts = ["e", "c", "a", "d", "b"].map { "\($0).example" }
        let pins = PublicKeyPins(Dictionary(uniqueKeysWithValues: hosts.map { ($0, []) }))
        let error = #expect(throws: TransportError.self) { try pins.validate() }
        #expect(error?.message.contains("a.example") == true)
    }

    @Test("Empty pins pin no host")
    func empty() throws {
        #expect(PublicKeyPins([:]).isEmpty)
        #expect(!pins.isEmpty)
        #expect(PublicKeyPins([:])["h"] == nil)
        try PublicKeyPins([:]).validate()
        try pins.validate()
    }

    @Test(
        "A pin that can't match throws an error that names the pin and the host",
        arguments: [
            "", "sha256//\(one)", "\(one)\n", " \(one)", String(one.dropLast()), "\(one);\(two)", "not Base64",
            Data(count: 31).base64EncodedString(), Data(count: 33).base64EncodedString(),
            "0101010101010101010101010101010101010101010101010101010101010101",
        ]
    )
    func illegalPins(pin: String) {
        let pins = PublicKeyPins(["h.example": [Self.one, pin]])
        let error = #expect(throws: TransportError.self) { try pins.validate() }
        #expect(error?.code == .unsupported)
        #expect(error?.message.contains("“h.example”") == true)
        #expect(error?.message.contains { $0.isNewline } == false)
    }

    @Test("A host without pins throws, so that it isn't unpinned by mistake")
    func noPins() {
        let error = #expect(throws: TransportError.self) { try PublicKeyPins(["h.example": []]).validate() }
        #expect(error?.code == .unsupported)
        #expect(error?.message.contains("“h.example”") == true)
    }

    @Test(
        "A name that isn't a host throws, or pins the intended host",
        arguments: [
            ("h.example.", "https://h.example/"), ("bücher.example", "https://bücher.example/"),
            ("*.bücher.example", "https://a.bücher.example/"), ("h.example:443", "https://h.example/"),
            ("https://h.example", "https://h.example/"), ("h.example/", "https://h.example/"),
            ("*", "https://h.example/"),
            ("a.*.example", "https://a.b.example/"), ("::1", "https://[::1]/"), (" h.example", "https://h.example/"),
            ("", "https://h.example/"), (".h.example", "https://a.h.example/"),
        ]
    )
    func unreachableHosts(written: String, url: String) throws {
        let pins = PublicKeyPins([written: [Self.one]])
        let host = try RequestURL(url).host
        guard pins[host] == nil else { return }
        #expect(throws: TransportError.self) { try pins.validate() }
    }

    @Test("A pinned host requires https")
    func plainText() throws {
        try pins.check(RequestURL("https://api.example.com/"))
        try pins.check(RequestURL("http://example.org/"))
        try PublicKeyPins([:]).check(RequestURL("http://api.example.com/"))
        for url in ["http://api.example.com/", "http://a.example.com:8080/", "HTTP://API.example.com./"] {
            let error = #expect(throws: TransportError.self) { try pins.check(RequestURL(url)) }
            #expect(error?.code == .unsupported)
            #expect(error?.requestMayHaveBeenProcessed == false)
        }
    }
}
