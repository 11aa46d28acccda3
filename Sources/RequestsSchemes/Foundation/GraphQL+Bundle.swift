#if FullFoundation
import Foundation
import Requests

extension GraphQL.Document {
    /// A document in a UTF-8 resource, read when the request is built. Building it throws
    /// `RequestError.Code.unreadableFile` if the resource is missing or can't be read.
    ///
    /// - Parameters:
    ///   - name: The resource's name.
    ///   - extension: The resource's extension. Default: `graphql`.
    ///   - bundle: The bundle that contains the resource.
    public static func resource(
        _ name: String,
        withExtension extension: String = "graphql",
        in bundle: Bundle
    ) -> GraphQL.Document {
        let url = bundle.url(forResource: name, withExtension: `extension`)
        return GraphQL.Document { try text(of: url, named: "\(name).\(`extension`)") }
    }
}
#endif
