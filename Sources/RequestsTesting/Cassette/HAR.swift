/// An HTTP archive, the format in which browsers export requests and responses.
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
        /// The date in ISO 8601 format with a time zone.
        var startedDateTime: String
        /// The total time in milliseconds, the unit of all times in an archive.
        var time: Double
        var request: Request
        var response: Response
        var cache = Cache()
        var timings: Timings

        enum CodingKeys: CodingKey {
            case startedDateTime, time, request, response, cache, timings
        }
    }

    struct Request: Codable, Sendable {
        var method: String
        var url: String
        var httpVersion: String
        var cookies: [Pair]
        var headers: [Pair]
        var queryString: [Pair]
        var postData: PostData?
        /// The size in bytes. -1 if unknown.
        var headersSize = -1
        var bodySize: Int

        enum CodingKeys: CodingKey {
            case method, url, httpVersion, cookies, headers, queryString, postData, headersSize, bodySize
        }
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

        enum CodingKeys: CodingKey {
            case status, statusText, httpVersion, cookies, headers, content, redirectURL, headersSize, bodySize
        }
    }

    struct Pair: Codable, Hashable, Sendable {
        var name: String
        var value: String
    }

    struct PostData: Codable, Sendable {
        var mimeType: String
        var text: String?
        /// `base64` for binary bodies, otherwise `nil`. An extension of the format, whose names start with `_`.
        var encoding: String?

        enum CodingKeys: String, CodingKey {
            case mimeType
            case text
            case encoding = "_encoding"
        }
    }

    struct Content: Codable, Sendable {
        var size: Int64
        var mimeType: String
        var text: String?
        var encoding: String?
        /// Whether the body is still encoded as its `Content-Encoding` says. HAR bodies are normally decoded.
        var isContentEncoded: Bool?

        enum CodingKeys: String, CodingKey {
            case size
            case mimeType
            case text
            case encoding
            case isContentEncoded = "_isCoded"
        }
    }

    struct Cache: Codable, Sendable {}

    struct Timings: Codable, Sendable {
        var send: Double = 0
        var wait: Double = 0
        var receive: Double = 0
    }
}
