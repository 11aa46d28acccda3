/// Returns the number of the first check that fails, or 0.
@_cdecl("check") public func check() -> Int32 {
    let checks = [
        Int.bitWidth == 32,
        HTTPDate.parse(cookieDate: "Fri, 31 Dec 9999 23:59:59 GMT")?.timeIntervalSince1970 == 253_402_300_799,
        HTTPDate.parse("Tue, 19 Jan 2038 03:14:08 GMT") { Date(timeIntervalSince1970: 0) }?.timeIntervalSince1970
            == 2_147_483_648,
        HTTPDate.text(of: Date(timeIntervalSince1970: 253_402_300_799)) == "Fri, 31 Dec 9999 23:59:59 GMT",
        HTTPDate.text(of: Date(timeIntervalSince1970: -62_167_219_200)) == "Sat, 01 Jan 0000 00:00:00 GMT",
        HTTPDate.text(of: Date(timeIntervalSince1970: .infinity)) == "Fri, 31 Dec 9999 23:59:59 GMT",
        "9223372036854775807".digits == .max,
        seconds("max-age=2147483647") == 2_147_483_647,
        seconds("max-age=2147483648") == 2_147_483_648,
        seconds("max-age=9223372036854775808") == 2_147_483_648,
        range("bytes=4294967296-8589934591", in: 1 << 40) == [4_294_967_296..<8_589_934_592],
        range("bytes=-4294967296", in: 1 << 40) == [(1 << 40) - (1 << 32)..<(1 << 40)],
        range("bytes=0-9223372036854775807", in: 1 << 40) == [0..<(1 << 40)],
    ]
    return Int32(checks.firstIndex(of: false).map { $0 + 1 } ?? 0)
}

private func seconds(_ directives: String) -> Int64? {
    CacheControl([Field(name: .cacheControl, value: directives)]).seconds("max-age", malformed: -1)
}

private func range(_ value: String, in length: Int64) -> [Range<Int64>]? {
    Range.requested(by: [Field(name: .range, value: value)], in: length)
}
