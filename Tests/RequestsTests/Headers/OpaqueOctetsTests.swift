import Requests
import Testing

@Suite("Octets that are sent back", .timeLimit(.minutes(5)))
struct OpaqueOctetsTests {
    private func text(of octets: [UInt8]) -> String { octets.withUnsafeBufferPointer { OpaqueOctets.text(of: $0) } }

    @Test(
        "Octets become a text, and the text the same octets",
        arguments: [
            [], Array("abc".utf8), Array("é€😀".utf8), [0xE9], [0x61, 0x80, 0xFF, 0x7E], Array(0xF0...0xFF),
            Array("\u{10FF80}\u{10FFFF}".utf8), Array("é\u{10FF81}".utf8), Array("\u{10FF7F}".utf8), [0xC3, 0x28],
        ] as [[UInt8]]
    )
    func roundTrip(octets: [UInt8]) {
        let text = text(of: octets)
        #expect(OpaqueOctets.octets(of: text) ?? Array(text.utf8) == octets)
    }

    @Test("UTF-8 is its own text")
    func utf8() {
        #expect(text(of: Array("é€😀".utf8)) == "é€😀")
        #expect(OpaqueOctets.octets(of: "é€😀") == nil)
        // Its first byte is that of the private-use characters.
        #expect(OpaqueOctets.octets(of: "\u{10ABCD}") == nil)
    }

    @Test("Joined texts keep their octets")
    func joined() {
        #expect(OpaqueOctets.octets(of: text(of: [0xE9]) + "; é") == [0xE9, 0x3B, 0x20, 0xC3, 0xA9])
    }

    @Test("A cookie keeps its octets in a saved jar")
    func cookie() throws {
        let url = try RequestURL("https://a.example/")
        var jar = CookieJar()
        let value = text(of: Array("a=".utf8) + [0xE9])
        jar.store([Field(name: .setCookie, value: value)], from: url, at: .distantPast)
        var saved = try JSONDecoder().decode(CookieJar.self, from: JSONEncoder().encode(jar))
        let field = saved.field(for: url, at: .distantPast)
        #expect(field.flatMap(OpaqueOctets.octets) == [0x61, 0x3D, 0xE9])
    }
}
