import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The library's interface for sending requests. `URLSession` can conform to it on Apple platforms.
public protocol Session: Sendable {
    associatedtype Bytes: AsyncSequence<UInt8, any Error>

    func data(for request: URLRequest) async throws -> (Data, URLResponse)
    func bytes(for request: URLRequest) async throws -> (Bytes, URLResponse)
    func send(
        _ request: URLRequest,
        completion:
            @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    )
}

/// The client of a library that was written without Requests.
public struct Forecasts<S: Session>: Sendable {
    let baseURL: URL
    let session: S

    /// Creates the library's client.
    public init(baseURL: URL, session: S) {
        (self.baseURL, self.session) = (baseURL, session)
    }

    func request(_ city: String, _ path: String) -> URLRequest {
        URLRequest(url: baseURL.appendingPathComponent("cities/\(city)/\(path)"))
    }
}
