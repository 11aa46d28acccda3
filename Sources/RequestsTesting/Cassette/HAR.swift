/// An HTTP archive: what was sent and what came back, as browsers write and read it.
///
/// Specification: HAR 1.2 (http://www.softwareishard.com/blog/har-12-spec/).
struct HAR: Codable, Sendable {
    var log: Log

    struct Log: Codable, Sendable {
        var version = "1.2"
        var creator = Creator()
        var entries: [Entry]
    }

    struct Creator: Codable, Sendable {
        var name = "Requests"
        var version = "1"
    }

    struct Entry: Codable, Sendable {
        /// ISO 8601, with a zone.
        var startedDateTime: String
        /// Milliseconds, like all times here.
        var time: Double
        var request: Request
        var response: Response
        var cache = Cache()
        var timings: Timings
    }

    struct Request: Codable, Sendable {
        var method: String
        var url: String
        var httpVersion: String
        var cookies: [Pair]
        var headers: [Pair]
        var queryString: [Pair]
        var postData: PostData?
        /// -1 where it is not known.
        var headersSize = -1
        var bodySize: Int
    }

    struct Response: Codable, Sendable {
        var status: Int
        var statusText = ""
        var httpVersion: String
        var cookies: [Pair]
        var headers: [Pair]
        var content: Content
        var redirectURL: String
        var headersSize = -1
        var bodySize: Int
    }

    struct Pair: Codable, Hashable, Sendable {
        var name: String
        var value: String
    }

    struct PostData: Codable, Sendable {
        var mimeType: String
        var text: String?
        /// The format knows no binary request body; names of its own start with `_` there.
        var encoding: String?

        private enum CodingKeys: String, CodingKey {
            case mimeType
            case text
            case encoding = "_encoding"
        }
    }

    struct Content: Codable, Sendable {
        var size: Int
        var mimeType: String
        var text: String?
        var encoding: String?
        /// Whether it is as it came, in the coding that the fields tell. In the format a body is always decoded.
        var isCoded: Bool?

        private enum CodingKeys: String, CodingKey {
            case size
            case mimeType
            case text
            case encoding
            case isCoded = "_isCoded"
        }
    }

    struct Cache: Codable, Sendable {}

    struct Timings: Codable, Sendable {
        var send: Double
        var wait: Double
        var receive: Double
    }
}
