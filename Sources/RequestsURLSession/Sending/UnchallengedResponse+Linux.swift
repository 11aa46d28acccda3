#if FullFoundation && !canImport(Darwin)
import Foundation
import FoundationNetworking

/// A 401 that Foundation doesn't take for a challenge.
///
/// For a challenge, Foundation asks the delegate and then sends the request itself, without the session's client. It
/// recognizes one by the status, the header and the host while a load finishes, so the URL is hidden from that call.
final class UnchallengedResponse: HTTPURLResponse, @unchecked Sendable {
    // Unchecked only because the superclass is: there are no properties.
    @TaskLocal static var isFinishing = false

    override var url: URL? { UnchallengedResponse.isFinishing ? nil : super.url }
}
#endif
