#if FullFoundation && !canImport(Darwin)
import Dispatch
import Foundation
import FoundationNetworking
import Requests

/// The body of an upload task.
///
/// Foundation doesn't pass the body to a `URLProtocol`, so it is read by reflection from the task's property
/// `knownBody`. If a version of Foundation has no such property, upload tasks fail instead of sending nothing. This
/// workaround can go when `URLProtocol.request` contains the body, as it does on Apple platforms.
struct UploadTaskBody {
    let requestBody: RequestBody

    init(_ task: URLSessionUploadTask) throws {
        guard let content = UploadTaskBody.content(of: task) else {
            throw URLError.unsupportedTask(
                "Foundation on Linux doesn't give this upload task's body to a URLProtocol. Use "
                    + "uploadTask(with:from:), uploadTask(with:fromFile:) or a request with an httpBodyStream."
            )
        }
        switch content {
        case let data as DispatchData: requestBody = .data(Data(data))
        case let file as URL: requestBody = .file(file)
        default: throw URLError.unsupportedTask("This upload's body is a \(type(of: content)). Use Data or a file.")
        }
    }

    /// Returns the payload of the enum case in `knownBody`. `nil` for a stream that a delegate provides.
    private static func content(of task: URLSessionUploadTask) -> Any? {
        var mirror: Mirror? = Mirror(reflecting: task)
        while let current = mirror {
            if let body = current.children.first(where: { $0.label == "knownBody" })?.value {
                return payload(of: body).flatMap(payload)
            }
            mirror = current.superclassMirror
        }
        return nil
    }

    private static func payload(of value: Any) -> Any? { Mirror(reflecting: value).children.first?.value }
}
#endif
