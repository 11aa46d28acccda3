import RequestsConformance
import RequestsCurl
import RequestsTesting

/// The saboteurs: for each conformance case, a transport that breaks exactly its requirement.
enum Saboteurs {
    private static let dropLastByte: @Sendable (any Transport) -> Saboteur = { .body($0) { $0.dropLast() } }
    private static let addBody: @Sendable (any Transport) -> Saboteur = { .body($0) { _ in Data("boo".utf8) } }
    private static let dropResponseBody: @Sendable (any Transport) -> Saboteur = {
        Saboteur($0) { Response(head: try await $1($0).head, content: ResponseBody(Data())) }
    }
    private static let bufferBody: @Sendable (any Transport) -> Saboteur = { .body($0) { $0 } }
    private static let always200: @Sendable (any Transport) -> Saboteur = { .head($0) { (200, $1) } }
    private static let decodeAsUTF8: @Sendable (any Transport) -> Saboteur = {
        .values($0) { String(decoding: $0.unicodeScalars.map { UInt8(clamping: $0.value) }, as: UTF8.self) }
    }
    private static let decodeAsLatin1: @Sendable (any Transport) -> Saboteur = {
        .values($0) { OpaqueOctets.octets(of: $0).map { String(decoding: $0.map(UInt16.init), as: UTF16.self) } ?? $0 }
    }
    private static let dropContinuations: @Sendable (any Transport) -> Saboteur = {
        .values($0) { String($0.prefix { $0 != " " }) }
    }
    private static let sortFields: @Sendable (any Transport) -> Saboteur = {
        .head($0) { ($0, $1.sorted { $0.name.rawValue < $1.name.rawValue }) }
    }
    private static let dropEmptyFields: @Sendable (any Transport) -> Saboteur = {
        .head($0) { ($0, $1.filter { !$0.value.isEmpty }) }
    }
    private static let dropFields: @Sendable (any Transport) -> Saboteur = { .request($0) { $0.header = .empty } }
    private static let dropBody: @Sendable (any Transport) -> Saboteur = { .request($0) { $0.body = .none } }
    private static let dropRequestTrailers: @Sendable (any Transport) -> Saboteur = {
        .request($0) { $0.body = $0.body.with(trailers: nil) }
    }
    private static let authorize: @Sendable (any Transport) -> Saboteur = {
        .request($0) { $0.header.add(.authorization("Basic eDp5")) }
    }
    private static let sendAsGet: @Sendable (any Transport) -> Saboteur = {
        .request($0) { ($0.method, $0.body) = (.get, .none) }
    }
    private static let dropTimeouts: @Sendable (any Transport) -> Saboteur = {
        .request($0) { $0.options.timeouts = Timeouts() }
    }
    private static let shortenTotalTimeout: @Sendable (any Transport) -> Saboteur = {
        .request($0) { $0.options.timeouts = Timeouts(total: .milliseconds(300)) }
    }
    private static let dropOptions: @Sendable (any Transport) -> Saboteur = {
        .request($0) { $0.options = CallOptions() }
    }
    private static let dropMethodAndFields: @Sendable (any Transport) -> Saboteur = {
        .request($0) { ($0.method, $0.header) = (.get, .empty) }
    }
    private static let ignoreShutdown: @Sendable (any Transport) -> Saboteur = {
        Saboteur($0, shutsDown: false) { try await $1($0) }
    }
    private static let reconnect: @Sendable (any Transport) -> Saboteur = { _ in
        Saboteur(StubTransport { _ in throw CancellationError() }) { request, _ in
            try await CurlTransport().send(request)
        }
    }
    private static let failOnErrorStatus: @Sendable (any Transport) -> Saboteur = {
        Saboteur($0) { request, send in
            let response = try await send(request)
            guard response.head.statusCode < 400 else {
                throw TransportError(code: .closed, message: "\(response.head)", phase: .receiving)
            }
            return response
        }
    }

    /// Changes nothing. In TLS cases, the transport of `makeTLSTransport` is the saboteur.
    private static let unchanged: @Sendable (any Transport) -> Saboteur = { Saboteur($0) { try await $1($0) } }

    /// Reports an untrusted certificate after it has sent the request.
    private static let rejectAfterSending: @Sendable (any Transport) -> Saboteur = { base in
        Saboteur(base) { request, _ in
            let transport = try unverified([:])
            _ = try await transport.send(request).content.collect(upTo: .max)
            await transport.shutdown()
            throw TransportError(code: .tlsUntrusted, message: "not trusted", phase: .connecting)
        }
    }

    static let trusting: @Sendable (TransportConformance.TLSOptions) throws -> any Transport = {
        try CurlTransport(options: $0)
    }

    private static func unverified(_ pins: PublicKeyPins) throws -> CurlTransport {
        var configuration = CurlTransport.Configuration()
        configuration.tls.dangerouslyUnverifiedHosts = ["127.0.0.1"]
        configuration.tls.publicKeyPins = pins
        return try CurlTransport(configuration: configuration)
    }

    static let overTLS: [String: @Sendable (TransportConformance.TLSOptions) throws -> any Transport] = [
        "trustedAuthority": { _ in try CurlTransport() },
        "wrongHostCertificate": { try unverified($0.publicKeyPins) },
        "certificateWithoutNames": { try unverified($0.publicKeyPins) },
        "certificateWithoutNamesKept": { _ in try unverified([:]) },
        "expiredCertificate": { try unverified($0.publicKeyPins) },
        "rightPin": { _ in try CurlTransport() },
        "wrongPin": { _ in try unverified([:]) },
        "pinsOnReuse": { try Saboteur.rememberingHosts(CurlTransport(options: $0), known: unverified([:])) },
        "pinsOfEachHost": { options in
            let pins = options.publicKeyPins["127.0.0.1"] ?? []
            return try unverified(["127.0.0.1": pins])
        },
        "pinWithoutTrust": { try unverified($0.publicKeyPins) },
        "pinnedHostWithoutTLS": { _ in try CurlTransport() },
        "missingCloseNotify": { Saboteur.accepting(.truncated, try CurlTransport(options: $0)) },
    ]

    /// The cases whose saboteur hangs.
    static let hanging: Set<String> = [
        "incrementalBody", "duplexEcho", "earlySuccess", "canceledWhileConnecting", "canceledWhileSending",
        "canceledWhileWaiting",
        "canceledWhileReading", "canceledWhilePaused", "droppedBody", "connectTimeout", "idleBeforeHead",
        "idleInBody", "totalTimeout", "totalTimeoutInBody", "attemptTimeout", "idleInRefusal", "noQueueing",
        "http2Streams",
        "shutdownEndsExchanges", "certificateWithoutNamesKept",
    ]

    static let byCase: [String: @Sendable (any Transport) -> Saboteur] = [
        "lengthDelimitedBody": dropLastByte,
        "chunkedBody": dropLastByte,
        "closeDelimitedBody": dropLastByte,
        "informationalHeads": { .head($0) { (103, $1) } },
        "noContent": addBody,
        "notModified": addBody,
        "responseToHead": addBody,
        "lengthAndChunked": { .body($0) { $0.prefix(3) } },
        "unsupportedTransferEncodings": { .accepting(.malformed, $0) },
        "conflictingLengths": { .accepting(.malformed, $0) },
        "invalidLengths": { .accepting(.malformed, $0) },
        "invalidChunkSize": { .accepting(.malformed, $0) },
        "maximumLength": { .accepting(.truncated, $0) },
        "truncatedBody": { .accepting(.truncated, $0) },
        "truncatedChunk": { .accepting(.truncated, $0) },
        "missingLastChunk": { .accepting(.truncated, $0) },
        "bytesAfterResponse": { .body($0) { _ in Data("evil".utf8) } },
        "trailers": bufferBody,
        "requestTrailers": dropRequestTrailers,
        "truncatedHead": { .accepting(.truncated, $0) },
        "closedBeforeResponse": { .accepting(.closed, $0) },
        "resetBeforeResponse": { .accepting(.closed, $0) },
        "resetInBody": { .accepting(.truncated, $0) },
        "noReasonPhrase": { .rejecting($0) },
        "unusualStatuses": always200,
        "notHTTP": { .accepting(.malformed, $0) },
        "invalidFields": { .accepting(.malformed, $0) },
        "repeatedFields": sortFields,
        "emptyField": dropEmptyFields,
        "whitespaceAroundValues": { .rejecting($0) },
        "latin1Value": decodeAsUTF8,
        "opaqueOctets": decodeAsLatin1,
        "bareLineFeeds": { .rejecting($0) },
        "bareCarriageReturns": { .accepting(.malformed, $0) },
        "foldedField": dropContinuations,
        "lineTooLong": { .accepting(.tooLarge, $0) },
        "headTooLarge": { .accepting(.tooLarge, $0) },
        "tooManyFields": { .accepting(.tooLarge, $0) },
        "fileBody": dropBody,
        "fileRange": dropBody,
        "missingFile": dropBody,
        "asyncChunks": dropBody,
        "duplexEcho": bufferBody,
        "gzip": dropLastByte,
        "deflate": dropLastByte,
        "truncatedEncoding": { .accepting(.decoding, $0) },
        "corruptEncoding": { .accepting(.decoding, $0) },
        "decodingLimit": { .accepting(.tooLarge, $0) },
        "tooManyEncodings": { .accepting(.decoding, $0) },
        "unknownEncoding": { .head($0) { ($0, $1.filter { $0.name != .contentEncoding }) } },
        "bodiesOfEverySize": dropLastByte,
        "incrementalBody": bufferBody,
        "bodyReadOnce": { .repeatingBodies($0) },
        "unreadBody": dropLastByte,
        "collectLimit": dropResponseBody,
        "backPressure": { .readingAhead($0) },
        "unmodifiedRequest": dropFields,
        "noAddedFields": authorize,
        "emptyBodyLength": sendAsGet,
        "largeUpload": dropBody,
        "streamOfKnownLength": dropBody,
        "streamOfUnknownLength": dropBody,
        "singleUseStream": dropBody,
        "streamTooShort": dropBody,
        "streamTooLong": dropBody,
        "failingStream": dropBody,
        "earlyResponse": failOnErrorStatus,
        "earlyRefusalOfSlowSource": dropLastByte,
        "closingEarlySuccess": { .accepting(.closed, $0) },
        "earlySuccess": bufferBody,
        "earlySuccessOfFailingSource": { .accepting(.sourceFailed, $0) },
        "earlySuccessOfShortSource": { .accepting(.sourceFailed, $0) },
        "closedAfterEarlySuccess": { .accepting(.closed, $0) },
        "connectionOfRefusal": dropBody,
        "expectedContinue": dropLastByte, "missingContinue": dropLastByte,
        "refusedExpectation": dropFields,
        "resetDuringUpload": { .accepting(.closed, $0) },
        "canceledBeforeSending": { .ignoringCancellation($0) },
        "canceledWhileConnecting": { .ignoringCancellation($0) },
        "canceledWhileSending": { .ignoringCancellation($0) },
        "canceledWhileWaiting": { .ignoringCancellation($0) },
        "canceledWhileReading": { .ignoringCancellation($0) },
        "canceledWhilePaused": { .ignoringCancellation($0) },
        "canceledDuringRedirect": { .brokenByCancellation($0) },
        "droppedBody": { .ignoringCancellation($0) },
        "connectTimeout": dropTimeouts,
        "idleBeforeHead": dropTimeouts,
        "idleInBody": dropTimeouts,
        "slowBodyIsNotIdle": shortenTotalTimeout,
        "totalTimeout": dropTimeouts,
        "totalTimeoutInBody": dropTimeouts,
        "attemptTimeout": dropTimeouts,
        "slowReaderIsNotIdle": shortenTotalTimeout,
        "slowSourceIsNotIdle": shortenTotalTimeout,
        "idleInRefusal": dropTimeouts,
        "refusedConnection": { .blamingServer($0) },
        "unknownHost": { .accepting(.nameNotResolved, $0) },
        "reuse": reconnect,
        "connectionClose": { .caching($0) },
        "staleConnection": { .withoutReconnecting($0) },
        "concurrentRequests": { .body($0) { _ in Data("/7".utf8) } },
        "noQueueing": { .queueing($0) },
        "noAutomaticRetry": { .retrying($0) },
        "redirectNotFollowed": { .followingRedirects($0) },
        "redirectWithoutLocation": always200,
        "challengeNotAnswered": { .retrying($0) },
        "errorStatus": failOnErrorStatus,
        "noCookies": { .keepingCookies($0) },
        "noCache": { .caching($0) },
        "unknownAuthority": rejectAfterSending,
        "serverWithoutTLS": { .fallingBack($0) },
        "trustedAuthority": unchanged,
        "missingCloseNotify": unchanged,
        "wrongHostCertificate": unchanged,
        "certificateWithoutNames": unchanged,
        "certificateWithoutNamesKept": unchanged,
        "expiredCertificate": unchanged,
        "rightPin": unchanged,
        "wrongPin": unchanged,
        "pinsOnReuse": unchanged,
        "pinsOfEachHost": unchanged,
        "pinWithoutTrust": unchanged,
        "pinnedHostWithoutTLS": unchanged,
        "invalidRequest": dropMethodAndFields,
        "unsupportedCachePolicy": dropOptions,
        "unsupportedMethods": sendAsGet,
        "networkServices": dropOptions,
        "metrics": bufferBody,
        "events": { .hidingEvents($0) { if case .head = $0 { true } else { false } } },
        "eventsOfFailure": { .hidingEvents($0) { if case .ended = $0 { true } else { false } } },
        "http2Exchanges": { .head($0) { ($0, $1) } },
        "http2Streams": { .queueing($0) },
        "shutdownEndsExchanges": ignoreShutdown,
        "shutdownRejectsRequests": ignoreShutdown,
    ]
}
