import Testing

@testable import Requests

@Suite("Parsing of HTTP dates", .timeLimit(.minutes(5)))
struct HTTPDateParsingTests {
    @Test(
        "dates in every historical format are parsed",
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
            ("Sun Nov  6 08:49:37 1994", 784_111_777), ("6 november 1994 8:49:37", 784_111_777),
            ("08:49:37 06 Novx 1994x", 784_111_777), ("1994 nov 06 08:49:37", 784_111_777),
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Thu, 01-Jan-70 00:00:00 GMT", 0),
            ("Fri, 31 Dec 1999 23:59:59 GMT", 946_684_799), ("Fri, 31 Dec 99 23:59:59 GMT", 946_684_799),
            ("Sat, 01 Jan 00 00:00:00 GMT", 946_684_800), ("01 Jan 69 00:00:00", 3_124_224_000),
            ("Tue, 29 Feb 2000 00:00:00 GMT", 951_782_400), ("29 Feb 2024 12:00:00", 1_709_208_000),
            ("Fri, 31 Dec 9999 23:59:59 GMT", 253_402_300_799), ("1 Jan 1601 00:00:00", -11_644_473_600),
            ("1 Mar 2100 00:00:00", 4_107_542_400), ("01 Jan 2026 1:2:3", 1_767_229_323),
            ("01 Jan 2026 01:02:03.5", 1_767_229_323), ("1 Jan 2026 00:00:00 2 Feb 2027 11:11:11", 1_767_225_600),
        ]
    )
    func forms(text: String, expected: Int) {
        #expect(HTTPDate.parse(cookieDate: text)?.timeIntervalSince1970 == Double(expected))
    }

    /// 2026-01-01T00:00:00Z.
    private let now = Date(timeIntervalSince1970: 1_767_225_600)

    @Test(
        "a year of two digits in a header field is at most 50 years in the future",
        arguments: [
            ("26", 1_792_195_200), ("75", 3_338_496_000), ("76", 214_358_400), ("70", 3_180_729_600),
            ("94", 782_352_000), ("99", 940_118_400), ("00", 971_740_800), ("69", 3_149_193_600),
        ]
    )
    func twoDigits(year: String, expected: Int) {
        let date = HTTPDate.parse("Sunday, 17-Oct-\(year) 00:00:00 GMT", now: { now })
        #expect(date?.timeIntervalSince1970 == Double(expected))
    }

    @Test("the current date is read only for a year of two digits")
    func fourDigits() {
        let date = HTTPDate.parse("Sun, 06 Nov 1994 08:49:37 GMT") {
            Issue.record("not needed")
            return now
        }
        #expect(date?.timeIntervalSince1970 == 784_111_777)
    }

    @Test("a leap second in a header field is the next second, and invalid in a cookie")
    func leapSecond() {
        let text = "Sat, 31 Dec 2016 23:59:60 GMT"
        #expect(HTTPDate.parse(text, now: { now })?.timeIntervalSince1970 == 1_483_228_800)
        #expect(HTTPDate.parse("Sat, 31 Dec 2016 23:59:61 GMT", now: { now }) == nil)
        #expect(HTTPDate.parse(cookieDate: text) == nil)
    }

    @Test(
        "a date with a missing or out-of-range part gives nil",
        arguments: [
            "", "tomorrow", "06 Nov 1994", "08:49:37 Nov 1994", "06 1994 08:49:37", "06 Nov 08:49:37",
            "24:00:00 06 Nov 1994", "08:60:00 06 Nov 1994", "08:00:60 06 Nov 1994", "08:49 06 Nov 1994",
            "00 Nov 1994 08:49:37", "32 Nov 1994 08:49:37", "31 Nov 1994 08:49:37", "31 Apr 1994 08:49:37",
            "31 Jun 1994 08:49:37", "31 Sep 1994 08:49:37", "29 Feb 1900 00:00:00",
            "29 Feb 2023 00:00:00", "06 Nov 1600 08:49:37", "06 Nov 19945 08:49:37", "006 Nov 1994 08:49:37",
            "008:49:37 06 Nov 1994", "06 Nov 1994 ::", "06 Nov 1994 é:1:2",
        ]
    )
    func invalid(text: String) {
        #expect(HTTPDate.parse(cookieDate: text) == nil)
    }
}
