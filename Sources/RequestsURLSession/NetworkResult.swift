import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What came of a performed request: the response with the resource made of it, or the error with its circumstances.
///
/// ```swift
/// switch result {
/// case .success(let (response, user)): show(user, at: response.url)
/// case .failure(let error): show(error)
/// }
/// ```
public typealias NetworkResult<Resource> = Result<(HTTPURLResponse, Resource), RequestTransportError>
