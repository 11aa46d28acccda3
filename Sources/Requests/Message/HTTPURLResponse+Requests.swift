import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension ResponseHead {
    /// Creates a head of a Foundation response.
    ///
    /// Foundation keeps neither the order of the fields nor repeats; they are sorted by name. Only `Set-Cookie`, whose
    /// values mean nothing when they are joined, is taken apart again, where a comma is followed by the name of a cookie.
    ///
    /// - Throws: ``InvalidRequestURLError`` when the response has no URL, or one that is not of HTTP.
    public init(_ response: HTTPURLResponse) throws {
        let fields = response.allHeaderFields
            .map { Field(name: Field.Name(String(describing: $0.key)), value: String(describing: $0.value)) }
            .sorted { $0.name.rawValue < $1.name.rawValue }
            .flatMap { $0.name == .setCookie ? ResponseHead.cookies(joinedIn: $0) : [$0] }
        try self.init(
            statusCode: response.statusCode,
            header: Header(fields),
            url: try RequestURL(response.url?.absoluteString ?? "")
        )
    }

    /// The comma of a date in `Expires` is followed by digits and a space, not by a name and `=`.
    private static func cookies(joinedIn field: Field) -> [Field] {
        var values: [[Substring]] = []
        for part in field.value.split(separator: ",", omittingEmptySubsequences: false) {
            let name = part.drop { $0 == " " }.prefix { $0 != "=" && $0 != ";" }
            let isCookie = name.endIndex < part.endIndex && part[name.endIndex] == "=" && ASCII.isToken(String(name))
            if isCookie || values.isEmpty {
                values.append([part])
            } else {
                values[values.count - 1].append(part)
            }
        }
        return values.map { Field(name: field.name, value: $0.joined(separator: ",")) }
    }

    /// The head as a Foundation response. Making one costs about as much as a small exchange: it is made on demand.
    ///
    /// - Throws: ``InvalidRequestURLError`` when Foundation does not read the URL.
    public func httpURLResponse() throws -> HTTPURLResponse {
        let foundationURL = try url.url
        guard
            let response = HTTPURLResponse(
                url: foundationURL,
                statusCode: statusCode,
                httpVersion: httpVersion?.description,
                headerFields: header.dictionaryValue
            )
        else {
            throw InvalidRequestURLError(
                code: .notAFoundationURL,
                culprit: url.description,
                message: "Foundation makes no response for \(url)"
            )
        }
        return response
    }
}
