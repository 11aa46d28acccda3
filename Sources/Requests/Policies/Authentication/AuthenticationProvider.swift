/// Adds credentials to a request.
///
/// Write your own schemes as static members, so that call sites read `.authenticated(with: .session(token))`:
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
    /// How the provider works. A client runs each case as an ``AuthenticationFlow``. ``immediate`` needs no client.
    package enum Scheme: Sendable {
        case inherited
        case immediate(@Sendable (inout PreparedRequest) throws -> Void)
        case flow(@Sendable () -> any AuthenticationFlow)
    }

    package let scheme: Scheme

    /// A name for the owner of the credentials, by which a cache keeps responses apart. `nil` if it isn't known, so
    /// nothing is cached.
    ///
    /// The library's providers use a digest of all of their secrets, a `TokenStore` its own name, and ``none`` the
    /// empty name. A combination has a name if each part has one. Set it for providers of your own.
    public var identity: String? {
        get { owner?() }
        set { owner = newValue.flatMap { name in identified(by: ["name", name]).owner } }
    }

    private(set) var owner: (@Sendable () -> String)?

    /// The providers of a combination that inherits the client's authentication.
    private let parts: [AuthenticationProvider]

    private init(scheme: Scheme, parts: [AuthenticationProvider] = [], owner: (@Sendable () -> String)? = nil) {
        (self.scheme, self.parts, self.owner) = (scheme, parts, owner)
    }

    /// Returns the provider with the secrets that identify its owner.
    package func identified(by secrets: @autoclosure @escaping @Sendable () -> [String]) -> AuthenticationProvider {
        AuthenticationProvider(scheme: scheme, parts: parts) {
            // With their lengths, because a secret may have any characters.
            SHA2.sha256(secrets().flatMap { Array("\($0.utf8.count):\($0)".utf8) }).hexadecimal
        }
    }

    /// Creates a provider that sets header fields.
    ///
    /// - Parameter authenticate: Sets the fields. Runs each time the request is built, after the body provider. Its
    ///   errors are rethrown when it is built.
    public init(authenticate: @escaping @Sendable (inout Header) throws -> Void) {
        self.init(scheme: .immediate { request in try authenticate(&request.header) })
    }

    /// Creates a provider that may respond to challenges.
    ///
    /// Only a client can run it: `toURLRequest()` and `prepared()` throw
    /// ``RequestError/Code/asynchronousAuthentication``.
    ///
    /// - Parameter flow: Creates a flow for each attempt.
    public init(flow: @escaping @Sendable () -> any AuthenticationFlow) { self.init(scheme: .flow(flow)) }

    /// Creates a provider that changes the whole request.
    ///
    /// ```swift
    /// let provider = AuthenticationProvider.signing { request in
    ///     request.header.set(.authorization(try signature(of: request)))
    /// }
    /// ```
    ///
    /// - Parameter sign: Changes the request. Runs each time the request is built, after the body provider. Its errors
    ///   are rethrown when it is built.
    public static func signing(
        _ sign: @escaping @Sendable (inout PreparedRequest) throws -> Void
    ) -> AuthenticationProvider {
        AuthenticationProvider(scheme: .immediate(sign))
    }

    /// Creates a provider that changes the whole request and may wait, for example for a token or a remote signature.
    ///
    /// Only a client can run it, as with ``init(flow:)``.
    ///
    /// - Parameter authenticate: Changes the request. Its errors are rethrown.
    public static func asynchronous(
        _ authenticate: @escaping @Sendable (inout PreparedRequest) async throws -> Void
    ) -> AuthenticationProvider {
        AuthenticationProvider(scheme: .flow { OneStepFlow(authenticate: authenticate) })
    }

    /// The client's credentials for the origin, unless the request has an `Authorization` field. None without a client.
    public static let inherited = AuthenticationProvider(scheme: .inherited)

    /// No authentication, even if the client has one.
    public static let none = AuthenticationProvider(scheme: .immediate { _ in }, owner: { "" })

    /// No authentication, for a request that has credentials already.
    static func done(by owner: (@Sendable () -> String)?) -> AuthenticationProvider {
        AuthenticationProvider(scheme: none.scheme, owner: owner)
    }

    /// Creates a flow for one attempt.
    public func makeFlow() -> any AuthenticationFlow {
        switch scheme {
        case .inherited: OneStepFlow { _ in }
        case .immediate(let authenticate): OneStepFlow { request in try authenticate(&request) }
        case .flow(let makeFlow): makeFlow()
        }
    }

    /// Adds the credentials without a client.
    ///
    /// - Throws: The provider's own error, or ``RequestError/Code/asynchronousAuthentication``.
    public func apply(to request: inout PreparedRequest) throws {
        switch scheme {
        case .inherited: break
        case .immediate(let authenticate): try authenticate(&request)
        case .flow(let makeFlow):
            if let flow = makeFlow() as? any OfflineFlow { return try flow.authenticate(&request) }
            throw RequestError(
                code: .asynchronousAuthentication,
                subject: "authenticationProvider",
                message: "The authentication provider is asynchronous. Send the request with a Client."
            )
        }
    }

    /// Several providers, for example an API key and a user's token.
    ///
    /// Synchronous providers run first. Each group keeps its order. The first provider that responds to a challenge
    /// wins; all others run again for the new request, so they must replace what they set before. ``inherited`` stands
    /// for the client's authentication, unless the request has an `Authorization` field.
    public static func combined(_ providers: AuthenticationProvider...) -> AuthenticationProvider {
        combining(providers)
    }

    private static func combining(_ providers: [AuthenticationProvider]) -> AuthenticationProvider {
        let steps = providers.compactMap { if case .immediate(let step) = $0.scheme { step } else { nil } }
        let immediate: @Sendable (inout PreparedRequest) throws -> Void = { request in
            for step in steps { try step(&request) }
        }
        let makers = providers.compactMap { if case .flow(let makeFlow) = $0.scheme { makeFlow } else { nil } }
        let owners = providers.compactMap(\.owner)
        let owner = { @Sendable in owners.map { $0() }.joined() }
        return AuthenticationProvider(
            scheme: makers.isEmpty
                ? .immediate(immediate) : .flow { CombinedFlow(immediate: immediate, flows: makers.map { $0() }) },
            parts: providers.contains(where: \.isInheriting) ? providers : [],
            owner: owners.count < providers.count ? nil : owner
        )
    }

    /// Whether the provider, or one of a combination, stands for the client's authentication.
    package var isInheriting: Bool { isInherited || !parts.isEmpty }

    package var isInherited: Bool { if case .inherited = scheme { true } else { false } }

    /// Returns the provider with another one in the place of what it inherits.
    package func inheriting(_ inherited: AuthenticationProvider) -> AuthenticationProvider {
        if isInherited { return inherited }
        return parts.isEmpty ? self : .combining(parts.map { $0.inheriting(inherited) })
    }
}
