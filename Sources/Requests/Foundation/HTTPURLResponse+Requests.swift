#if FullFoundation
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

extension ResponseHead {
    /// Creates a head from a Foundation response.
    ///
    /// Header fields are sorted by name because Foundation has lost their order and joined repeated ones. A joined
    /// `Set-Cookie` is split again at commas that are followed by a cookie's name.
    ///
    /// - Throws: ``RequestError`` if the response has no HTTP URL.
    public init(_ response: HTTPURLResponse) throws {
        var fields: [Field] = []
        for (name, value) in response.allHeaderFields {
            fields.append(Field(name: Field.Name("\(name)"), value: "\(value)"))
        }
        fields.sort { $0.name.rawValue < $1.name.rawValue }
        try self.init(
            statusCode: response.statusCode,
            header: Header(fields.flatMap { $0.name == .setCookie ? ResponseHead.cookies(joinedIn: $0) : [$0] }),
            url: try RequestURL(response.url?.absoluteString ?? "")
        )
    }

    /// Splits joined cookies. The comma of an `Expires` date isn't followed by a name and `=`.
    private static func cookies(joinedIn field: Field) -> [Field] {
        var values: [[Substring]] = []
        for part in field.value.split(separator: ",", omittingEmptySubsequences: false) {
            let name = part.drop { $0 == " " }.prefix { $0 != "=" && $0 != ";" }
            let isCookie = name.endIndex < part.endIndex && part[name.endIndex] == "=" && ASCII.isToken(String(name))
            if isCookie || values.isEmpty { values.append([]) }
            values[values.count - 1].append(part)
        }
        return values.map { Field(name: field.name, value: $0.joined(separator: ",")) }
    }

    /// Creates a Foundation response. This costs about as much as sending a small request.
    ///
    /// Several `Set-Cookie` fields are joined with commas, as URLSession joins them.
    ///
    /// - Throws: ``RequestError/Code/notAFoundationURL``.
    public func httpURLResponse() throws -> HTTPURLResponse {
        let foundationURL = try url.url
        var fields = header.dictionaryValue
        if let cookie = header.first(where: { $0.name == .setCookie }) {
            fields[cookie.name.rawValue] = header[values: .setCookie].joined(separator: ", ")
        }
        guard
            let response = HTTPURLResponse(
                url: foundationURL,
                statusCode: statusCode,
                httpVersion: httpVersion?.description,
                headerFields: fields
            )
        else {
            throw RequestError(
                code: .notAFoundationURL,
                subject: url.description,
                message: "HTTPURLResponse can't represent the response of \(url). Use the ResponseHead instead."
            )
        }
        return response
    }
}

extension ResponseDecoder {
    /// Creates a decoder that reads a Foundation response.
    ///
    /// - Parameter decode: Creates the value. Its errors are rethrown.
    public init(_ decode: @escaping @Sendable (HTTPURLResponse, Data) throws -> Response) {
        self = .reading { head, data in try decode(head.httpURLResponse(), data) }
    }
}
#endif
