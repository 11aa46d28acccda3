import Foundation

/// Proves who makes a request.
///
/// Your own schemes are static members, so that call sites read `.authenticated(with: .session(token))`:
///
/// ```swift
/// extension AuthenticationProvider {
///     static func session(_ token: String) -> AuthenticationProvider {
///         AuthenticationProvider { header in
///             header.set(Field(name: "X-Session", value: token).sensitive())
///         }
///     }
/// }
/// ```
public struct AuthenticationProvider: Sendable {
    private enum Scheme: Sendable {
        case none
        // What most requests have, without a closure to make and to call.
        case field(Field)
        case header(@Sendable (inout Header) throws -> Void)
        case request(@Sendable (inout PreparedRequest) throws -> Void)
        case asynchronousRequest(@Sendable (inout PreparedRequest) async throws -> Void)
        case flow(@Sendable () -> any AuthenticationFlow)
    }

    private let scheme: Scheme

    private init(scheme: Scheme) {
        self.scheme = scheme
    }

    /// Creates a provider that works on the header and waits for nothing.
    ///
    /// - Parameter authenticate: Sets fields. Its errors reach the caller as they are. It runs each time the request
    ///   is built, after the body provider.
    public init(authenticate: @escaping @Sendable (inout Header) throws -> Void) {
        self.scheme = .header(authenticate)
    }

    /// Creates a provider that sees the whole request and may wait, for a token or a signature.
    ///
    /// Only a ``Client`` can run it: `toURLRequest()` and `prepared()` throw
    /// ``RequestError/Code/asynchronousAuthentication``. One that waits for nothing is ``signing(_:)``.
    ///
    /// - Parameter authenticate: Changes the request. Its errors reach the caller as they are.
    @_disfavoredOverload
    public init(authenticate: @escaping @Sendable (inout PreparedRequest) async throws -> Void) {
        self.scheme = .asynchronousRequest(authenticate)
    }

    /// Creates a provider that answers what servers ask.
    ///
    /// Only a ``Client`` can run it: `toURLRequest()` and `prepared()` throw
    /// ``RequestError/Code/asynchronousAuthentication``.
    ///
    /// - Parameter flow: Makes a flow, for each attempt to send a request.
    public init(flow: @escaping @Sendable () -> any AuthenticationFlow) {
        self.scheme = .flow(flow)
    }

    /// Updates a header with credentials.
    ///
    /// - Throws: The provider's own error; ``RequestError/Code/authenticationBeyondHeader`` where it changes more than
    ///   the header; ``RequestError/Code/asynchronousAuthentication``.
    public func update(_ header: inout Header) throws {
        switch scheme {
        case .none: break
        case .field(let field): header.set(field)
        case .header(let authenticate): try authenticate(&header)
        case .request:
            throw RequestError(
                code: .authenticationBeyondHeader,
                culprit: "authenticationProvider",
                message: "the authentication provider changes more than the header; prepare the whole request"
            )
        case .asynchronousRequest, .flow:
            throw RequestError(
                code: .asynchronousAuthentication,
                culprit: "authenticationProvider",
                message: "the authentication provider is asynchronous; send the request with a Client"
            )
        }
    }

    /// Updates a request without waiting for anything.
    func updateNow(_ request: inout PreparedRequest) throws {
        if case .request(let authenticate) = scheme {
            try authenticate(&request)
        } else {
            try update(&request.header)
        }
    }

    func update(_ request: inout PreparedRequest) async throws {
        switch scheme {
        case .none, .field, .header, .request: try updateNow(&request)
        case .asynchronousRequest(let authenticate): try await authenticate(&request)
        case .flow(let makeFlow):
            var flow = makeFlow()
            try await flow.start(&request)
        }
    }

    /// A new flow; `nil` where the provider is none.
    func makeFlow() -> (any AuthenticationFlow)? {
        if case .flow(let makeFlow) = scheme { makeFlow() } else { nil }
    }
}

extension AuthenticationProvider {
    /// No authentication of the request's own: a client's ``Client/Configuration/authentication`` runs, unless the request
    /// has an `Authorization` field.
    ///
    /// A request that must go without it is ``anonymous``.
    public static let none = AuthenticationProvider(scheme: .none)

    /// No authentication at all: it takes the place of a client's, and does nothing.
    public static let anonymous = AuthenticationProvider { (_: inout Header) in }

    /// Creates a provider that sets a field.
    static func field(_ field: Field) -> AuthenticationProvider {
        AuthenticationProvider(scheme: .field(field))
    }

    /// Creates a provider that signs the whole request, and waits for nothing.
    ///
    /// ```swift
    /// let provider = AuthenticationProvider.signing { request in
    ///     request.header.set(.authorization(try signature(of: request)))
    /// }
    /// ```
    ///
    /// - Parameter sign: Changes the request. Its errors reach the caller as they are. It runs each time the request is
    ///   built, after the body provider.
    public static func signing(_ sign: @escaping @Sendable (inout PreparedRequest) throws -> Void)
        -> AuthenticationProvider
    {
        AuthenticationProvider(scheme: .request(sign))
    }

    /// Whether this is ``none``.
    var isNone: Bool {
        if case .none = scheme { true } else { false }
    }

    /// Whether the provider works on the header alone.
    var isOfHeader: Bool {
        switch scheme {
        case .none, .field, .header: true
        case .request, .asynchronousRequest, .flow: false
        }
    }

    /// Whether the provider may wait for something.
    var isAsynchronous: Bool {
        switch scheme {
        case .none, .field, .header, .request: false
        case .asynchronousRequest, .flow: true
        }
    }
}
