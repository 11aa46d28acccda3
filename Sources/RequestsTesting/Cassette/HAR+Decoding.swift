import Requests

/// Lenient decoding, because browsers and proxies omit fields that the format requires.
extension HAR.Entry {
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            startedDateTime: try container.decodeIfPresent(String.self, forKey: .startedDateTime) ?? "",
            time: (try? container.decode(Double.self, forKey: .time)) ?? 0,
            request: try container.decode(HAR.Request.self, forKey: .request),
            response: try container.decode(HAR.Response.self, forKey: .response),
            timings: (try? container.decode(HAR.Timings.self, forKey: .timings)) ?? HAR.Timings()
        )
    }
}

extension HAR.Request {
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            method: try container.decode(String.self, forKey: .method),
            url: try container.decode(String.self, forKey: .url),
            httpVersion: try container.decodeIfPresent(String.self, forKey: .httpVersion) ?? "",
            cookies: [],
            headers: try container.decodeIfPresent([HAR.Pair].self, forKey: .headers) ?? [],
            queryString: try container.decodeIfPresent([HAR.Pair].self, forKey: .queryString) ?? [],
            postData: try container.decodeIfPresent(HAR.PostData.self, forKey: .postData),
            bodySize: try container.decodeIfPresent(Int.self, forKey: .bodySize) ?? -1
        )
    }
}

extension HAR.Response {
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            status: try container.decode(Int.self, forKey: .status),
            statusText: try container.decodeIfPresent(String.self, forKey: .statusText) ?? "",
            httpVersion: try container.decodeIfPresent(String.self, forKey: .httpVersion) ?? "",
            cookies: [],
            headers: try container.decodeIfPresent([HAR.Pair].self, forKey: .headers) ?? [],
            content: try container.decodeIfPresent(HAR.Content.self, forKey: .content)
                ?? HAR.Content(size: 0, mimeType: ""),
            redirectURL: try container.decodeIfPresent(String.self, forKey: .redirectURL) ?? "",
            bodySize: try container.decodeIfPresent(Int.self, forKey: .bodySize) ?? -1
        )
    }
}

extension HAR.Content {
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let text = try container.decodeIfPresent(String.self, forKey: .text)
        self.init(
            size: try container.decodeIfPresent(Int64.self, forKey: .size) ?? Int64(text?.utf8.count ?? 0),
            mimeType: try container.decodeIfPresent(String.self, forKey: .mimeType) ?? "",
            text: text,
            encoding: try container.decodeIfPresent(String.self, forKey: .encoding),
            isContentEncoded: try container.decodeIfPresent(Bool.self, forKey: .isContentEncoded)
        )
    }
}

extension HAR.PostData {
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let mimeType = try container.decodeIfPresent(String.self, forKey: .mimeType) ?? ""
        let text = try container.decodeIfPresent(String.self, forKey: .text) ?? ""
        let form = try decoder.container(keyedBy: HAR.FormKeys.self)
        let items = try form.decodeIfPresent([HAR.Item].self, forKey: .params) ?? []
        let type = mimeType.isEmpty && !items.isEmpty ? MediaType.urlEncodedForm.description : mimeType
        // Some browsers record a form as text, others as a list of items.
        let isForm = text.isEmpty && MediaType(type)?.matches(.urlEncodedForm) == true
        self.init(
            mimeType: type,
            text: isForm ? items.map(\.text).joined(separator: "&") : text,
            encoding: try container.decodeIfPresent(String.self, forKey: .encoding)
        )
    }
}

extension HAR {
    fileprivate enum FormKeys: CodingKey {
        case params
    }

    /// An item of a form.
    fileprivate struct Item: Decodable {
        let name: String
        let value: String?

        /// The encoded item. Characters of existing percent-encoding are kept, because some browsers record encoded
        /// items.
        var text: String { HAR.encoded(name) + "=" + HAR.encoded(value ?? "") }
    }

    private static let formBytes = ByteSet(alphanumericsAnd: "-._~%+")

    private static func encoded(_ text: String) -> String { PercentEncoding.encoded(text, keeping: formBytes) }
}

extension HAR {
    /// A copy without entries that aren't complete HTTP exchanges: other schemes, failed requests and WebSockets.
    var withoutForeignEntries: HAR {
        var copy = self
        copy.log.entries.removeAll { entry in
            let isHTTP = ["http:", "https:"].contains { entry.request.url.lowercased().hasPrefix($0) }
            return !isHTTP || !(200...999).contains(entry.response.status)
        }
        return copy
    }

    /// Removes and returns the entries that were recorded before a date or have no valid date.
    mutating func removeEntries(from date: Date) -> [Entry] {
        let expired = log.entries.filter { $0.date.map { $0 < date } ?? true }
        log.entries.removeAll { $0.date.map { $0 < date } ?? true }
        return expired
    }
}

extension HAR.Entry {
    /// The start of the exchange. `nil` if the archive has no valid date.
    var date: Date? {
        let styles = [true, false].map { Date.ISO8601FormatStyle(includingFractionalSeconds: $0) }
        return styles.lazy.compactMap { try? $0.parse(startedDateTime) }.first
    }
}
