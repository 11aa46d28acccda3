import Foundation

extension AuthenticationProvider {
    /// A bearer token in `Authorization` (RFC 6750 §2.1).
    public static func bearerToken(_ token: String) -> AuthenticationProvider {
        field(.authorization("Bearer " + token))
    }

    /// A user name and a password in `Authorization`, as UTF-8 in Base64 (RFC 7617).
    ///
    /// A user name with a colon makes the build throw ``RequestError/Code/invalidCredentials``: the server would read
    /// another one.
    public static func basicAuth(username: String, password: String) -> AuthenticationProvider {
        AuthenticationProvider { header in
            guard !username.utf8.contains(UInt8(ascii: ":")) else {
                throw RequestError(
                    code: .invalidCredentials,
                    culprit: "username",
                    message: "the user name contains a colon, which basic authentication cannot carry"
                )
            }
            header.set(.authorization("Basic \(Data("\(username):\(password)".utf8).base64EncodedString())"))
        }
    }

    /// Where an API wants its key.
    public enum KeyPlace: Hashable, Sendable {
        /// In a field, whose value descriptions and logs then hide.
        case header(Field.Name)
        /// In a query item, whose value descriptions and logs then hide.
        case query(String)
    }

    /// A key that an API gave out.
    ///
    /// ```swift
    /// let request = api.get(.text, from: "/weather").authenticated(with: .apiKey(key, in: .query("appid")))
    /// ```
    ///
    /// It replaces what the request has in that place.
    public static func apiKey(_ key: String, in place: KeyPlace) -> AuthenticationProvider {
        switch place {
        case .header(let name):
            field(Field(name: name, value: key).sensitive())
        case .query(let name):
            signing { request in request.url = request.url.setting(secret: key, as: name) }
        }
    }

    /// Several providers, one after the other: an API's key and a user's token, say.
    ///
    /// It waits where one of them does. Of those that answer what servers ask, the first that has an answer gives it. A
    /// digest comes last, so that it signs what is sent. Where a request is sent again they run again: what they set has to
    /// take the place of what was there.
    public static func combined(_ providers: AuthenticationProvider...) -> AuthenticationProvider {
        if providers.contains(where: { $0.makeFlow() != nil }) {
            return AuthenticationProvider {
                let parts = providers.flatMap { provider -> [any AuthenticationFlow] in
                    let flow = provider.makeFlow() ?? SingleStepFlow(provider: provider)
                    return (flow as? CombinedFlow)?.parts ?? [flow]
                }
                return CombinedFlow(parts: parts.filter { !($0 is DigestFlow) } + parts.filter { $0 is DigestFlow })
            }
        }
        if providers.contains(where: \.isAsynchronous) {
            return AuthenticationProvider { (request: inout PreparedRequest) async throws in
                for provider in providers { try await provider.update(&request) }
            }
        }
        if providers.allSatisfy(\.isOfHeader) {
            return AuthenticationProvider { header in
                for provider in providers { try provider.update(&header) }
            }
        }
        return signing { request in
            for provider in providers { try provider.updateNow(&request) }
        }
    }
}

/// A provider that asks for nothing, as a part of a combination.
private struct SingleStepFlow: AuthenticationFlow {
    let provider: AuthenticationProvider

    func start(_ request: inout PreparedRequest) async throws { try await provider.update(&request) }

    func next(after head: ResponseHead) -> AuthenticationStep { .done }
}

private struct CombinedFlow: AuthenticationFlow {
    var parts: [any AuthenticationFlow]

    mutating func start(_ request: inout PreparedRequest) async throws {
        for index in parts.indices { try await parts[index].start(&request) }
    }

    mutating func next(after head: ResponseHead) async throws -> AuthenticationStep {
        for answering in parts.indices {
            guard case .sendAgain(var request) = try await parts[answering].next(after: head) else { continue }
            // What the others put in may have come after this one began, or be good for one request.
            for index in parts.indices where index != answering { try await parts[index].start(&request) }
            return .sendAgain(request)
        }
        return .done
    }
}
