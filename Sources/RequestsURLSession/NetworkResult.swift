#if FullFoundation
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The result of `URLSession.perform`: the response and the decoded resource, or an error with the request and
/// response.
///
/// ```swift
/// switch result {
/// case .success(let (response, user)): show(user, at: response.url)
/// case .failure(let error): show(error)
/// }
/// ```
public typealias NetworkResult<Resource> = Result<(HTTPURLResponse, Resource), RequestTransportError>
#endif
