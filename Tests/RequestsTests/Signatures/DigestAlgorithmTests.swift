@testable import Requests
import RequestsTestSupport
import RequestsTesting
import Testing

@Suite("Message digests", .timeLimit(.minutes(5)))
struct DigestAlgorithmTests {
    private static func a(_ count: Int) -> SampleText { SampleText(String(repeating: "a", count: count)) }

    private static let alphabet = "abcdefghijklmnopqrstuvwxyz"
    private static let digits = String(repeating: "1234567890", count: 8)
    private static let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

    @Test(
        "MD5 returns the digests of RFC 1321 and handles lengths around a block",
        arguments: [
            ("", "d41d8cd98f00b204e9800998ecf8427e"), ("a", "0cc175b9c0f1b6a831c399e269772661"),
            ("abc", "900150983cd24fb0d6963f7d28e17f72"), ("message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
            (SampleText(alphabet), "c3fcd3d76192e4007dfb496cca67e13b"),
            (SampleText(letters), "d174ab98d277d9f5a5611c2c9f419d9f"),
            (SampleText(digits), "57edf4a22be3c955ac49da2e2107b67a"),
            (a(55), "ef1772b6dff9a122358552954ad0df65"),
            (a(56), "3b0c8ac703f828b04c6c197006d17218"),
            (a(63), "b06521f39153d618550606be297466d5"),
            (a(64), "014842d480b571495a4a0363793f7367"),
            (a(119), "8a7bd0732ed6a28ce75f6dabc90e1613"),
            (a(120), "5f61c0ccad4cac44c75ff505e1f1e537"),
        ] as [(SampleText, String)]
    )
    func md5(message: SampleText, expected: String) {
        #expect(MD5.hash(Array(message.text.utf8)).hexadecimal == expected)
    }

    @Test(
        "SHA-256 returns the digests of RFC 6234 and handles lengths around a block",
        arguments: [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
            (
                SampleText(String(repeating: "01234567", count: 80)),
                "594847328451bdfa85056225462cc1d867d877fb388df0ce35f25ab5562bfbb5"
            ),
            (a(55), "9f4390f8d30c2dd92ec9f095b65e2b9ae9b0a925a5258e241c9f1e910f734318"),
            (a(56), "b35439a4ac6f0948b6d6f9e3c6af0f5f590ce20f1bde7090ef7970686ec6738a"),
            (a(63), "7d3e74a05d7db15bce4ad9ec0658ea98e3f06eeecf16b4c6fff2da457ddc2f34"),
            (a(64), "ffe054fe7ae0cb6dc65c3af9b61d5209f439851db43d0ba5997337df154668eb"),
        ] as [(SampleText, String)]
    )
    func sha256(message: SampleText, expected: String) {
        #expect(SHA2.sha256(message.text.utf8).hexadecimal == expected)
    }

    @Test(
        "SHA-512/256 returns the digests of FIPS 180-4 and handles lengths around a block",
        arguments: [
            ("", "c672b8d1ef56ed28ab87c3622c5114069bdd3ad7b8f9737498d0c01ecef0967a"),
            ("abc", "53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23"),
            (
                SampleText(
                    "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
                        + "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu"
                ),
                "3928e184fb8690f840da3988121d31be65cb9d3ef83ee6146feac861e19b563a"
            ),
            (a(111), "0239e429f98d0ed61ee8e2a7c30afe98c1c3a80ce5dff62a107e9c538f7632ce"),
            (a(112), "9216b5303edb66504570bee90e48ea5beaa5e9fe9f760bbd3e0460559fc005f6"),
            (a(127), "2fe3b2a6ee7e12f6fe4ba82166541ad9b4ed882c493581cbe300d68f3757b778"),
            (a(128), "b88f97e274f9c1d49f181c8cbd01a9c74930ad055a46ac4499a1d601f1c80bf2"),
            (a(239), "78d0a1b37aaad84c89fff13cbe3cd3d1025bcdb648268f9102b7e7032bea7d2a"),
            (a(240), "d48a4d53397b38ab4e771d781c98ac6b86712dff2a664cfd1f27c7ca40f8ce37"),
        ] as [(SampleText, String)]
    )
    func sha512_256(message: SampleText, expected: String) {
        #expect(SHA2.sha512_256(message.text.utf8).hexadecimal == expected)
    }

    @Test("SHA-512 returns the digest of RFC 6234 and handles a long message")
    func sha512() {
        #expect(
            SHA2.sha512("abc".utf8).hexadecimal
                == "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
        )
        #expect(
            SHA2.sha512(String(repeating: "a", count: 1_000).utf8).hexadecimal
                == "67ba5535a46e3f86dbfbed8cbbaf0125c76ed549ff8b0b9e03e0c88cf90fa634"
                + "fa7b12b47d77b694de488ace8d9a65967dc96df599727d3292a8d9d447709c97"
        )
    }

    @Test(
        "A digest of pieces is the digest of the whole message",
        arguments: [SHA2.Algorithm.sha256, .sha512, .sha512_256]
    )
    func pieces(_ algorithm: SHA2.Algorithm) {
        let message = (0..<700).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        func digest(_ sizes: [Int]) -> [UInt8] {
            var (hasher, rest) = (SHA2.Hasher(algorithm), message[...])
            for size in sizes {
                hasher.update(rest.prefix(size))
                rest = rest.dropFirst(size)
            }
            hasher.update(AnyCollection(rest))
            return hasher.finalize()
        }
        let whole = digest([])
        for sizes in [
            [1], [63, 1, 64], [64, 128], [127, 1, 0, 129], [200, 300], [55, 200], Array(repeating: 1, count: 700),
        ] {
            #expect(digest(sizes) == whole)
        }
    }

    @Test("A million letters have the digests of FIPS 180")
    func million() {
        let letters = repeatElement(UInt8(ascii: "a"), count: 1_000_000)
        #expect(
            SHA2.sha256(letters).hexadecimal == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
        )
        #expect(
            SHA2.sha512(letters).hexadecimal
                == "e718483d0ce769644e2e42c7bc15b4638e1f98b13b2044285632a803afa973eb"
                + "de0ff244877ea60a4cb0432ce577c31beb009c5c2c49aa2e4eadb217ad8cc09b"
        )
    }

    @Test("HMAC has the codes of RFC 4231, also for a key that is longer than a block")
    func hmac() {
        #expect(
            HMAC.sha256("Hi There".utf8, key: repeatElement(0x0B, count: 20)).hexadecimal
                == "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        )
        let text = "Test Using Larger Than Block-Size Key - Hash Key First"
        #expect(
            HMAC.sha256(text.utf8, key: repeatElement(0xAA, count: 131)).hexadecimal
                == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        )
    }

    @Test("A nonce that was used 2³² - 1 times is used no more, and the next challenge begins a new count")
    func nonceCount() throws {
        let challenge = Field(name: .wwwAuthenticate, value: #"Digest realm="r", nonce="n", qop="auth""#)
        let challenges = AuthenticationProvider.Challenge.challenges(in: [challenge])
        var session = try #require(DigestSession.strongest(of: challenges)?.session)
        let request = try PreparedRequest(url: RequestURL("https://h/"))
        func use() -> String? { session.use(for: .init(request), username: "u", password: "p", cnonce: "c")?() }
        session.count = .max - 1
        #expect(use()?.contains("nc=ffffffff") == true)
        #expect(use() == nil)
        session.renew(from: #"nextnonce="m""#)
        #expect(use() != nil)
    }
}
