import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension ResponseHead {
    /// Creates a head of a Foundation response.
    ///
    /// Foundation keeps neither the order of the fields nor repeats; they are sorted by name.
    ///
    /// - Throws: ``InvalidRequestURLError`` when the response has no URL, or one that is not of HTTP.
    public init(_ response: HTTPURLResponse) throws {
        let fields = response.allHeaderFields
            .map { Field(name: Field.Name(String(describing: $0.key)), value: String(describing: $0.value)) }
            .sorted { $0.name.rawValue < $1.name.rawValue }
        try self.init(
            statusCode: response.statusCode,
            header: Header(fields),
            url: try RequestURL(response.url?.absoluteString ?? "")
        )
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
