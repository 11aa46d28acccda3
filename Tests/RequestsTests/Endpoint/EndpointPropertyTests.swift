import Foundation
import Requests
import Testing

@Suite("Any text at all in an endpoint")
struct EndpointPropertyTests {
    private let api = AnonymousRequestProvider("https://api.example.com/v1")

    @Test(
        "an interpolated value never changes the number of segments and reads back as it was, or is refused as unsafe"
    )
    func interpolation() throws {
        var built = 0
        let broken = try HostileText(seed: 3, count: 20_000).first { value in
            do {
                let path = try api.get(.data, from: "/users/\(value)/posts").prepared().url.path
                let segments = path.split(separator: "/", omittingEmptySubsequences: false)
                built += 1
                return segments.count != 5 || PercentDecoder.bytes(of: segments[3]) != Array(value.utf8)
            } catch let error as InvalidRequestURLError where error.code == .unsafeSegment {
                return !["", ".", ".."].contains(PercentDecoder.text(of: value))
            }
        }
        #expect(broken == nil)
        #expect(built > 15_000)
    }

    @Test("two values beside each other stay in their one segment")
    func neighbours() throws {
        let values = Array(HostileText(seed: 4, count: 20_000))
        let broken = try zip(values, values.dropFirst()).first { left, right in
            do {
                let url = try api.get(.data, from: "/%\(left)\(right)").prepared().url
                return url.path.utf8.filter { $0 == UInt8(ascii: "/") }.count != 2 || url.query != nil
            } catch let error as InvalidRequestURLError where error.code == .unsafeSegment {
                return false
            }
        }
        #expect(broken?.0 == nil)
    }

    @Test("a path known at run time stays below the base path, has no query, and builds again to itself")
    func path() throws {
        var built = 0
        let broken = try HostileText(seed: 5, count: 10_000).first { text in
            do {
                let url = try api.get(.data, from: Endpoint(path: text)).prepared().url
                built += 1
                let segments = url.path.split(separator: "/").map { PercentDecoder.text(of: $0) }
                let again = try api.get(.data, from: Endpoint(path: String(url.path.dropFirst(3)))).prepared().url
                return try !url.text.hasPrefix("https://api.example.com/v1") || url.query != nil
                    || segments.contains(".")
                    || segments.contains("..") || RequestURL(url.text) != url || again != url
            } catch let error as InvalidRequestURLError where error.code == .dotSegment {
                return !text.contains(".") && !text.lowercased().contains("%2e")
            }
        }
        #expect(broken == nil)
        #expect(built > 6_000)
    }
}
