import Foundation
import Requests
import RequestsClient
import RequestsCurl
import RequestsTesting

/// For each case of the conformance suite a transport that does the one thing wrong that the case is there for.
enum Saboteurs {
    private static let loseAByte: @Sendable (any Transport) -> Saboteur = { .body($0) { $0.dropLast() } }
    private static let inventABody: @Sendable (any Transport) -> Saboteur = { .body($0) { _ in Data("boo".utf8) } }
    private static let loseAll: @Sendable (any Transport) -> Saboteur = {
        Saboteur($0) { Response(head: try await $1($0).head, content: ResponseBody(Data())) }
    }
    private static let readAhead: @Sendable (any Transport) -> Saboteur = { .body($0) { $0 } }
    private static let always200: @Sendable (any Transport) -> Saboteur = { .head($0) { (200, $1) } }
    private static let spoilValues: @Sendable (any Transport) -> Saboteur = {
        .head($0) { ($0, $1.map { Field(name: $0.name, value: $0.value + "!") }) }
    }
    private static let sortFields: @Sendable (any Transport) -> Saboteur = {
        .head($0) { ($0, $1.sorted { $0.name.rawValue < $1.name.rawValue }) }
    }
    private static let dropEmptyFields: @Sendable (any Transport) -> Saboteur = {
        .head($0) { ($0, $1.filter { !$0.value.isEmpty }) }
    }
    private static let dropFields: @Sendable (any Transport) -> Saboteur = { .request($0) { $0.header = .empty } }
    private static let dropBody: @Sendable (any Transport) -> Saboteur = { .request($0) { $0.body = .none } }
    private static let authorize: @Sendable (any Transport) -> Saboteur = {
        .request($0) { $0.header.add(.authorization("Basic eDp5")) }
    }
    private static let onlyGet: @Sendable (any Transport) -> Saboteur = {
        .request($0) { ($0.method, $0.body) = (.get, .none) }
    }
    private static let noTimeouts: @Sendable (any Transport) -> Saboteur = {
        .request($0) { $0.options.timeouts = Timeouts() }
    }
    private static let hasty: @Sendable (any Transport) -> Saboteur = {
        .request($0) { $0.options.timeouts = Timeouts(total: .milliseconds(300)) }
    }
    private static let noOptions: @Sendable (any Transport) -> Saboteur = {
        .request($0) { $0.options = RequestOptions() }
    }
    private static let tidyUp: @Sendable (any Transport) -> Saboteur = {
        .request($0) { ($0.method, $0.header) = (.get, .empty) }
    }
    private static let immortal: @Sendable (any Transport) -> Saboteur = {
        Saboteur($0, shutsDown: false) { try await $1($0) }
    }
    private static let forgetful: @Sendable (any Transport) -> Saboteur = { _ in
        Saboteur(StubTransport { _ in throw CancellationError() }) { request, _ in
            try await CurlTransport().send(request)
        }
    }
    private static let judgemental: @Sendable (any Transport) -> Saboteur = {
        Saboteur($0) { request, send in
            let response = try await send(request)
            guard response.head.statusCode < 400 else {
                throw TransportError(code: .closed, message: "\(response.head)", phase: .receiving)
            }
            return response
        }
    }

    /// Over TLS it is the other transport, made for the case, that does the wrong thing.
    private static let ok: @Sendable (any Transport) -> Saboteur = { Saboteur($0) { try await $1($0) } }
    private static let credulous: @Sendable (any Transport) -> Saboteur = { base in
        Saboteur(base) { request, _ in try await unverified([:]).send(request) }
    }

    /// Says that it sent nothing, when it has.
    private static let late: @Sendable (any Transport) -> Saboteur = { base in
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
        "certificateOfAnotherHost": { try unverified($0.publicKeyPins) },
        "certificateWithoutNames": { try unverified($0.publicKeyPins) },
        "expiredCertificate": { try unverified($0.publicKeyPins) },
        "rightPin": { _ in try CurlTransport() },
        "wrongPin": { _ in try unverified([:]) },
        "pinsOnReuse": { try Saboteur.rememberingHosts(CurlTransport(options: $0), known: unverified([:])) },
        "pinWithoutTrust": { try unverified($0.publicKeyPins) },
        "pinnedHostWithoutTLS": { _ in try CurlTransport() },
        "cutTLS": { Saboteur.swallowingErrors(try CurlTransport(options: $0)) },
    ]

    /// The cases that a transport fails by never ending.
    static let hanging: Set<String> = [
        "bodyAsItArrives", "duplexEcho", "cancelledWhileConnecting", "cancelledWhileSending", "cancelledWhileWaiting",
        "cancelledWhileReading", "cancelledWhilePaused", "droppedBody", "connectTimeout", "idleWhileWaiting",
        "idleInsideTheBody", "totalTimeout", "totalInsideTheBody", "twoAtOnce", "shutdownEndsWhatIsInFlight",
    ]

    static let byCase: [String: @Sendable (any Transport) -> Saboteur] = [
        "lengthDelimitedBody": loseAByte,
        "chunkedBody": loseAByte,
        "closeDelimitedBody": loseAByte,
        "informationalHeads": { .head($0) { (103, $1) } },
        "noContent": inventABody,
        "notModified": inventABody,
        "answerToHead": inventABody,
        "lengthAndChunked": { .body($0) { $0.prefix(3) } },
        "unaskedTransferCodings": { .relabellingErrors($0) },
        "conflictingLengths": { .relabellingErrors($0) },
        "invalidLengths": { .relabellingErrors($0) },
        "invalidChunkSize": { .swallowingErrors($0) },
        "largestLength": { .swallowingErrors($0) },
        "truncatedLength": { .swallowingErrors($0) },
        "truncatedChunk": { .swallowingErrors($0) },
        "missingLastChunk": { .swallowingErrors($0) },
        "bytesAfterTheEnd": { .body($0) { _ in Data("evil".utf8) } },
        "trailers": readAhead,
        "cutInsideHead": { .relabellingErrors($0) },
        "closedWithoutAnswer": { .relabellingErrors($0) },
        "resetWithoutAnswer": { .relabellingErrors($0) },
        "resetInBody": { .swallowingErrors($0) },
        "noReasonPhrase": { .head($0) { ($0 + 1, $1) } },
        "unusualStatuses": always200,
        "notHTTP": { .relabellingErrors($0) },
        "invalidFields": { .relabellingErrors($0) },
        "repeatedFields": sortFields,
        "emptyField": dropEmptyFields,
        "whitespaceAroundValues": spoilValues,
        "latin1Value": spoilValues,
        "bareLineFeeds": spoilValues,
        "foldedField": spoilValues,
        "lineTooLong": { .relabellingErrors($0) },
        "headTooLarge": { .relabellingErrors($0) },
        "tooManyFields": { .relabellingErrors($0) },
        "fileBody": dropBody,
        "partOfFile": dropBody,
        "missingFile": dropBody,
        "chunkedSource": dropBody,
        "duplexEcho": readAhead,
        "gzip": loseAByte,
        "deflate": loseAByte,
        "truncatedCoding": { .swallowingErrors($0) },
        "spoiltCoding": { .relabellingErrors($0) },
        "decodingLimit": { .relabellingErrors($0) },
        "tooManyCodings": { .relabellingErrors($0) },
        "unknownCoding": { .head($0) { ($0, $1.filter { $0.name != .contentEncoding }) } },
        "bodiesOfEverySize": loseAByte,
        "bodyAsItArrives": readAhead,
        "bodyReadOnce": { .repeatingBodies($0) },
        "unreadBody": loseAByte,
        "collectLimit": loseAll,
        "backPressure": readAhead,
        "requestAsItWasBuilt": dropFields,
        "nothingIsAdded": authorize,
        "emptyBodyHasALength": onlyGet,
        "largeUpload": dropBody,
        "streamOfKnownLength": dropBody,
        "streamOfUnknownLength": dropBody,
        "streamIsReadOnce": dropBody,
        "streamThatEndsEarly": dropBody,
        "streamThatEndsLate": dropBody,
        "streamThatFails": dropBody,
        "answerBeforeTheEnd": always200,
        "refusedUpload": { .relabellingErrors($0) },
        "cancelledBefore": { .ignoringCancellation($0) },
        "cancelledWhileConnecting": { .ignoringCancellation($0) },
        "cancelledWhileSending": { .ignoringCancellation($0) },
        "cancelledWhileWaiting": { .ignoringCancellation($0) },
        "cancelledWhileReading": { .ignoringCancellation($0) },
        "cancelledWhilePaused": { .ignoringCancellation($0) },
        "cancelledWhileRedirected": { .hurtByCancellation($0) },
        "droppedBody": { .ignoringCancellation($0) },
        "connectTimeout": noTimeouts,
        "idleWhileWaiting": noTimeouts,
        "idleInsideTheBody": noTimeouts,
        "idleIsNotTotal": hasty,
        "totalTimeout": noTimeouts,
        "totalInsideTheBody": noTimeouts,
        "slowReaderIsNotIdle": hasty,
        "refusedConnection": { .relabellingErrors($0) },
        "unknownHost": { .relabellingErrors($0) },
        "reuse": forgetful,
        "closeIsHonoured": { .caching($0) },
        "staleConnection": loseAByte,
        "manyAtOnce": { .body($0) { _ in Data("/7".utf8) } },
        "twoAtOnce": { .queueing($0) },
        "noRepetition": { .retrying($0) },
        "redirectIsDelivered": { .followingRedirects($0) },
        "redirectToNowhere": always200,
        "challengeIsDelivered": { .retrying($0) },
        "errorStatus": judgemental,
        "noCookies": { .keepingCookies($0) },
        "noCache": { .caching($0) },
        "unknownAuthority": late,
        "serverWithoutTLS": { .relabellingErrors($0) },
        "trustedAuthority": ok,
        "cutTLS": ok,
        "certificateOfAnotherHost": ok,
        "certificateWithoutNames": ok,
        "expiredCertificate": ok,
        "rightPin": ok,
        "wrongPin": ok,
        "pinsOnReuse": ok,
        "pinWithoutTrust": ok,
        "pinnedHostWithoutTLS": ok,
        "invalidRequest": tidyUp,
        "unsupportedCachePolicy": noOptions,
        "unsupportedMethods": onlyGet,
        "shutdownEndsWhatIsInFlight": immortal,
        "shutdownRefusesWhatComes": immortal,
    ]
}
