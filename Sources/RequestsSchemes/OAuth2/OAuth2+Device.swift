import Requests

extension OAuth2 {
    /// Returns a request that starts a login for a device without a browser or keyboard.
    ///
    /// ```swift
    /// let device = try await login.send(
    ///     server.deviceLogin(at: URL("https://login.example.com/device"))
    /// )
    /// print("Open \(device.verificationURI) and enter \(device.userCode)")
    /// ```
    ///
    /// - Parameters:
    ///   - url: The device authorization endpoint.
    ///   - scope: The permissions to request. Default: empty, which means the server's default.
    ///
    /// Specification: RFC 8628 §3.1.
    public func deviceLogin(at url: URL, scope: [String] = []) -> Request<OAuth2, DeviceLogin> {
        form(["scope": OAuth2.text(of: scope)], [], to: Endpoint(absolute: url, origin: .any))
            .receiving(OAuth2.decoder { try OAuth2.decode(DeviceLogin.self, $0, $1) })
    }

    /// Returns a request for the token of a device login (RFC 8628 §3.4). It fails until the user has logged in, so
    /// repeat it according to ``DeviceLogin/polling``.
    public func token(for login: DeviceLogin) -> Request<OAuth2, AccessToken> {
        token("urn:ietf:params:oauth:grant-type:device_code", ["device_code": login.deviceCode])
    }

    /// The server's response to a started device login: the code and the page that the user needs.
    ///
    /// Specification: RFC 8628 §3.2.
    public struct DeviceLogin: Hashable, Decodable, Sendable {
        /// The code to show to the user, who enters it on ``verificationURI``.
        public let userCode: String

        /// The URL of the page where the user enters the code, on any device with a browser.
        public let verificationURI: String

        /// The URL of the same page with the code included, for example for a QR code. `nil` if the server sends none.
        public let completeVerificationURI: String?

        let deviceCode: String
        private let lifetime: Seconds?
        private let interval: Seconds?

        private enum CodingKeys: String, CodingKey {
            case userCode = "user_code"
            case verificationURI = "verification_uri"
            // Google's name.
            case verificationURL = "verification_url"
            case completeVerificationURI = "verification_uri_complete"
            case lifetime = "expires_in"
            case deviceCode = "device_code"
            case interval
        }

        /// Decodes a response. Only the codes and ``verificationURI`` are needed; other members that can't be read
        /// count as missing.
        public init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: CodingKeys.self)
            userCode = try members.decode(String.self, forKey: .userCode)
            verificationURI =
                try members.readable(String.self, forKey: .verificationURL)
                ?? members.decode(String.self, forKey: .verificationURI)
            completeVerificationURI = members.readable(String.self, forKey: .completeVerificationURI)
            deviceCode = try members.decode(String.self, forKey: .deviceCode)
            lifetime = members.readable(Seconds.self, forKey: .lifetime)
            interval = members.readable(Seconds.self, forKey: .interval)
        }

        /// The lifetime of the codes in seconds. `nil` if unknown.
        public var expiresIn: Int64? { lifetime.map { Int64(min(max($0.value, 0), 1e9)) } }

        /// The intervals at which to request the token. Starts with the server's interval, or 5 seconds if it sends
        /// none.
        public var polling: DevicePolling { DevicePolling(interval: .seconds(min(max(interval?.value ?? 5, 1), 3600))) }
    }

    /// A policy that decides whether and when to request the token again while the login is pending.
    ///
    /// Specification: RFC 8628 §3.5.
    public struct DevicePolling: Hashable, Sendable {
        /// The time to wait before each request.
        public private(set) var interval: Duration

        /// Adjusts the interval after a failed request, if the login may still succeed.
        ///
        /// - Throws: The passed error, unless it only means that the login is pending, that requests are too frequent,
        ///   or that a timeout was reached.
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

extension OAuth2.DeviceLogin: Redacted {
    /// The URL of the page, without the codes.
    public var description: String { "DeviceLogin(\(Redaction.escaped(verificationURI)))" }
}
