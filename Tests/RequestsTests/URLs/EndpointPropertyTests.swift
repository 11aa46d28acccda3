import Foundation
import Requests
import Testing

@Suite("Endpoints with random text", .timeLimit(.minutes(5)))
struct EndpointPropertyTests {
    private let api = BaseURL("https://api.example.com/v1")

    @Test(
        "an interpolated value stays in its segment and decodes to itself, or the build throws unsafeSegment"
    )
    func interpolation() throws {
        var built = 0
        let broken = try HostileText(seed: 3, count: 20_000).first { value in
            do {
                let path = try api.get(.data, from: "/users/\(value)/posts").prepared().url.path
                let segments = path.split(separator: "/", omittingEmptySubsequences: false)
                built += 1
                return segments.count != 5 || PercentDecoder.bytes(of: segments[3]) != Array(value.utf8)
            } catch let error as RequestError where error.code == .unsafeSegment {
                return !["", ".", ".."].contains(PercentDecoder.text(of: value))
            }
        }
        #expect(broken == nil)
        #expect(built > 15_000)
    }

    @Test("two adjacent values stay in their segment and decode to themselves")
    func adjacentValues() throws {
        let values = Array(HostileText(seed: 4, count: 20_000))
        let broken = try zip(values, values.dropFirst()).first { left, right in
            do {
                let url = try api.get(.data, from: "/%\(left)\(right)").prepared().url
                let segments = url.path.split(separator: "/", omittingEmptySubsequences: false)
                return segments.count != 3 || url.query != nil
                    || PercentDecoder.bytes(of: segments[2]) != Array("%\(left)\(right)".utf8)
            } catch let error as RequestError where error.code == .unsafeSegment {
                return false
            }
        }
        #expect(broken?.0 == nil)
    }

    @Test("a path known only at run time stays below the base path, decodes to itself and builds again to itself")
    func path() throws {
        var built = 0
        let broken = try HostileText(seed: 5, count: 20_000).first { text in
            do {
                let url = try api.get(.data, from: Endpoint(path: text)).prepared().url
                built += 1
                let segments = url.path.split(separator: "/").map { PercentDecoder.text(of: $0) }
                let again = try api.get(.data, from: Endpoint(path: String(url.path.dropFirst(3)))).prepared().url
                let meant = Array("/v1/".utf8) + FormReader.percentDecoded(text.utf8.drop { $0 == UInt8(ascii: "/") })
                return try !url.text.hasPrefix("https://api.example.com/v1") || url.query != nil
                    || !text.isEmpty && PercentDecoder.bytes(of: url.path) != meant
                    || segments.contains(".")
                    || segments.contains("..") || RequestURL(url.text) != url || again != url
            } catch let error as RequestError where error.code == .dotSegment {
                return !text.contains(".") && !text.lowercased().contains("%2e")
            }
        }
        #expect(broken == nil)
        #expect(built > 12_000)
    }
}
