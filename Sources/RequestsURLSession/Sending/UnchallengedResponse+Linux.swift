#if FullFoundation && !canImport(Darwin)
import Foundation
import FoundationNetworking

/// A response with status 401 that Foundation doesn't recognize as a challenge.
///
/// After a challenge, Foundation asks the delegate and then sends the request itself instead of over the client. It
/// recognizes a challenge by status, header and host when a load finishes, so the URL is hidden during that call.
final class UnchallengedResponse: HTTPURLResponse, @unchecked Sendable {
    // Unchecked only because the superclass is: there are no properties.
    @TaskLocal static var isFinishing = false

    override var url: URL? { UnchallengedResponse.isFinishing ? nil : super.url }
}
#endif
