#if FullFoundation
import Foundation
import Requests
import RequestsClient

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Loads the requests of a session over a transport.
///
/// Foundation makes the instances, and passes them nothing but a request. So each transport has its own class.
final class StubURLProtocol<Number: StubNumber>: URLProtocol {
    private let loading = Locked<Task<Void, Never>?>(nil)

    // Only the sessions of one configuration have this class.
    override class func canInit(with request: URLRequest) -> Bool { true }

    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
        // Safe, because only this task uses the request and the client.
        nonisolated(unsafe) let loader = self
        loading.withLock { $0 = Task { unsafe await loader.load() } }
    }

    override func stopLoading() {
        loading.withLock { $0 }?.cancel()
    }

    private func load() async {
        do {
            let transport = StubbedTransports.transport(Number.value)
            let response = try await transport.send(PreparedRequest(request))
            let head = try response.head.httpURLResponse()
            try Task.checkCancellation()
            client?.urlProtocol(self, didReceive: head, cacheStoragePolicy: .notAllowed)
            try await deliver(response.content)
            try Task.checkCancellation()
            client?.urlProtocolDidFinishLoading(self)
        } catch {
            // After `stopLoading()`, the client expects no more calls.
            guard !Task.isCancelled else { return }
            client?.urlProtocol(self, didFailWithError: URLError(stubbed: error))
        }
    }
}

/// The transports of stubbed sessions, in memory until the process ends.
enum StubbedTransports {
    private static let all = Locked<[any Transport]>([])

    /// Adds a transport.
    ///
    /// - Returns: The class that loads requests over it.
    static func add(_ transport: any Transport) -> AnyClass {
        let number = all.withLock { transports in
            transports.append(transport)
            return transports.count - 1
        }
        return protocolClass(numberType(number))
    }

    static func transport(_ number: Int) -> any Transport { all.withLock { $0[number] } }

    private static func protocolClass<Number: StubNumber>(_: Number.Type) -> AnyClass { StubURLProtocol<Number>.self }

    private static func numberType(_ number: Int) -> any StubNumber.Type {
        guard number > 0 else { return StubNumberZero.self }
        let half = numberType(number / 2)
        return number.isMultiple(of: 2) ? even(half) : odd(half)
    }

    private static func even<Half: StubNumber>(_: Half.Type) -> any StubNumber.Type { StubNumberEven<Half>.self }
    private static func odd<Half: StubNumber>(_: Half.Type) -> any StubNumber.Type { StubNumberOdd<Half>.self }
}

/// A number as a type. The types for all numbers are made at run time from these three.
protocol StubNumber: SendableMetatype {
    static var value: Int { get }
}

enum StubNumberZero: StubNumber {
    static var value: Int { 0 }
}

enum StubNumberEven<Half: StubNumber>: StubNumber {
    static var value: Int { 2 * Half.value }
}

enum StubNumberOdd<Half: StubNumber>: StubNumber {
    static var value: Int { 2 * Half.value + 1 }
}

extension URLError {
    /// Creates the error that a session reports for an error of a stub.
    fileprivate init(stubbed error: any Error) {
        let isUnmatched = (error as? TransportError)?.code == .unmatched
        self.init(describing: error, default: isUnmatched ? .resourceUnavailable : .unknown)
    }
}
#endif
