extension CallOptions {
    /// The purpose of network traffic, which decides how the system treats it, with the cases of Foundation's
    /// `URLRequest.NetworkServiceType`.
    public enum NetworkServiceType: UInt, Hashable, Sendable {
        /// Usual traffic.
        case `default` = 0
        /// Video.
        case video = 2
        /// Traffic that the user doesn't wait for.
        case background = 3
        /// Voice.
        case voice = 4
        /// Traffic that the user waits for.
        case responsiveData = 6
        /// Streamed audio and video.
        case avStreaming = 8
        /// Audio and video that the user interacts with.
        case responsiveAV = 9
        /// The signals of a call.
        case callSignaling = 11
    }

    /// Whether the request depends on the network service type or excludes cellular networks.
    package var needsNetworkServices: Bool {
        networkServiceType ?? .default != .default || allowsCellularAccess == false
    }
}
