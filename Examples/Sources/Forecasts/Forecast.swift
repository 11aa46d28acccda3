import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A weather forecast. Not `Sendable`, like many models of older libraries.
public final class Forecast {
    /// The weather, such as "sunny".
    public let text: String

    init(_ text: String) {
        self.text = text
    }
}

/// The reasons why there is no forecast.
public enum ForecastError: Error, Equatable {
    /// The server doesn't know the city.
    case unknownCity
    /// The server returned this unexpected status.
    case unexpectedStatus(Int)
    /// The server couldn't be reached.
    case offline
    /// The connection broke before the end of a stream.
    case interrupted
}

extension Forecasts {
    /// Returns today's forecast.
    public func today(in city: String) async throws -> Forecast {
        do {
            let (data, response) = try await session.data(for: request(city, "today"))
            try Self.check(response)
            return Forecast(String(decoding: data, as: UTF8.self))
        } catch let error as URLError where [.timedOut, .cannotConnectToHost].contains(error.code) {
            throw ForecastError.offline
        }
    }

    /// Calls a closure with each forecast as it arrives. The server sends one per line.
    public func follow(_ city: String, onForecast: @Sendable (Forecast) -> Void) async throws {
        let (bytes, response) = try await session.bytes(for: request(city, "updates"))
        try Self.check(response)
        do {
            var line: [UInt8] = []
            for try await byte in bytes {
                guard byte == UInt8(ascii: "\n") else {
                    line.append(byte)
                    continue
                }
                onForecast(Forecast(String(decoding: line, as: UTF8.self)))
                line = []
            }
        } catch let error as URLError where error.code == .networkConnectionLost {
            throw ForecastError.interrupted
        }
    }

    /// Sends a weather report, and calls the closure when the server has received it.
    public func report(_ text: String, in city: String, completion: @escaping @Sendable ((any Error)?) -> Void) {
        var request = request(city, "reports")
        request.httpMethod = "POST"
        request.httpBody = Data(text.utf8)
        session.send(request) { _, response, error in
            completion(error ?? response.flatMap { response in Result { try Self.check(response) }.failure })
        }
    }

    private static func check(_ response: URLResponse) throws {
        switch (response as? HTTPURLResponse)?.statusCode ?? 0 {
        case 200..<300: break
        case 404: throw ForecastError.unknownCity
        case let status: throw ForecastError.unexpectedStatus(status)
        }
    }
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
