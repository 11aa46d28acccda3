import Requests

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension OAuth2 {
    /// A request to log in on a device without a browser or keyboard.
    ///
    /// ```swift
    /// let device = try await login.send(server.deviceLogin(at: URL("https://login.example.com/device")))
    /// print("Open \(device.verificationURI) and enter \(device.userCode)")
    /// ```
    ///
    /// - Parameters:
    ///   - url: The device authorization endpoint.
    ///   - scope: What the app asks for. Default: the server's default.
    ///
    /// Specification: RFC 8628 §3.1.
    public func deviceLogin(at url: URL, scope: [String] = []) -> Request<OAuth2, DeviceLogin> {
        form(["scope": OAuth2.text(of: scope)], [], to: Endpoint(absolute: url, origin: .any))
            .receiving(.json(DeviceLogin.self, decoder: JSONDecoder()))
    }

    /// A request for the token after a login on another device (RFC 8628 §3.4).
    public func token(for login: DeviceLogin) -> Request<OAuth2, AccessToken> {
        token("urn:ietf:params:oauth:grant-type:device_code", ["device_code": login.deviceCode])
    }

    /// The codes that a user needs to log in on another device.
    ///
    /// Specification: RFC 8628 §3.2.
    public struct DeviceLogin: Hashable, Decodable, Sendable {
        /// The code for the user to enter.
        public let userCode: String

        /// The page to enter it on.
        public let verificationURI: String

        /// The same page with the code in it, for a QR code. `nil` if the server has none.
        public let completeVerificationURI: String?

        let deviceCode: String
        private let lifetime: Seconds
        private let interval: Seconds?

        private enum CodingKeys: String, CodingKey {
            case userCode = "user_code"
            case verificationURI = "verification_uri"
            case completeVerificationURI = "verification_uri_complete"
            case lifetime = "expires_in"
            case deviceCode = "device_code"
            case interval
        }

        /// How long the codes are valid, in seconds.
        public var expiresIn: Int { Int(min(max(lifetime.value, 0), 1e9)) }

        /// When to ask for the token.
        public var polling: DevicePolling { DevicePolling(interval: .seconds(min(max(interval?.value ?? 5, 1), 3600))) }
    }

    /// Decides whether and when to ask for the token again while the login is pending.
    ///
    /// Specification: RFC 8628 §3.5.
    public struct DevicePolling: Hashable, Sendable {
        /// How long to wait before each request.
        public private(set) var interval: Duration

        /// Continues after a failed request.
        ///
        /// - Throws: The error, unless the user hasn't finished the login or the connection timed out.
        public mutating func `continue`(after error: any Error) throws {
            switch ((error as? ResponseError)?.underlying as? Failure)?.code {
            case "authorization_pending": break
            case "slow_down": interval += .seconds(5)
            default:
                guard (error as? TransportError)?.isTimeout == true else { throw error }
                interval = min(interval * 2, .seconds(3600))
            }
        }
    }
}

extension OAuth2.DeviceLogin: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The page, without codes.
    public var description: String { "DeviceLogin(\(Redaction.escaped(verificationURI)))" }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// The same as ``description``.
    public var customMirror: Mirror { Mirror(self, children: ["verificationURI": verificationURI]) }
}
