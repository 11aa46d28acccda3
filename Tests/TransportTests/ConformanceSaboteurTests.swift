import Foundation
import Requests
import RequestsCurl
import RequestsTesting
import Testing

@Suite("Each case of the conformance suite finds what it is there for")
struct ConformanceSaboteurTests {
    @Test("a transport that does the one thing wrong fails", arguments: TransportConformance.Case.all)
    func sabotage(aCase: TransportConformance.Case) async throws {
        let saboteur = try #require(Self.saboteurs[aCase.name], "there is no saboteur for \(aCase.name)")
        let report = await #expect(throws: TransportConformance.Report.self) {
            try await TransportConformance.run(cases: [aCase.ending(within: .seconds(3))]) {
                saboteur(try CurlTransport())
            }
        }
        #expect(report?.failures.map(\.case.name) == [aCase.name])
    }

    @Test("a case that is left out is reported with its reason")
    func exclusion() async throws {
        let report = try await TransportConformance.run(
            excluding: [.reuse("each exchange is alone")],
            cases: [.reuse, .refusedConnection]
        ) { try CurlTransport() }
        #expect(report.outcomes.map(\.outcome) == [.excluded("each exchange is alone"), .passed])
        #expect(report.description == "1 of 2 cases passed")
    }

    @Test("names are unique")
    func names() {
        let names = TransportConformance.Case.all.map(\.name)
        #expect(Set(names).count == names.count)
    }

    private static let loseAByte: @Sendable (any Transport) -> Saboteur = { .body($0) { $0.dropLast() } }
    private static let inventABody: @Sendable (any Transport) -> Saboteur = { .body($0) { _ in Data("boo".utf8) } }
    private static let loseAll: @Sendable (any Transport) -> Saboteur = { .body($0) { _ in Data() } }
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

    private static let saboteurs: [String: @Sendable (any Transport) -> Saboteur] = [
        "lengthDelimitedBody": loseAByte,
        "chunkedBody": loseAByte,
        "closeDelimitedBody": loseAByte,
        "informationalHeads": { .head($0) { (103, $1) } },
        "noContent": inventABody,
        "notModified": inventABody,
        "answerToHead": inventABody,
        "lengthAndChunked": { .body($0) { $0.prefix(3) } },
        "conflictingLengths": { .relabellingErrors($0) },
        "invalidLengths": { .relabellingErrors($0) },
        "invalidChunkSize": { .swallowingErrors($0) },
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
        "repeatedFields": sortFields,
        "emptyField": dropEmptyFields,
        "whitespaceAroundValues": spoilValues,
        "latin1Value": spoilValues,
        "bareLineFeeds": spoilValues,
        "foldedField": spoilValues,
        "lineTooLong": { .relabellingErrors($0) },
        "headTooLarge": { .relabellingErrors($0) },
        "tooManyFields": { .relabellingErrors($0) },
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
        "noRepetition": { .retrying($0) },
        "redirectIsDelivered": { .followingRedirects($0) },
        "challengeIsDelivered": { .retrying($0) },
        "errorStatus": judgemental,
        "noCookies": { .keepingCookies($0) },
        "noCache": { .caching($0) },
        "invalidRequest": tidyUp,
        "unsupportedCachePolicy": noOptions,
        "unsupportedMethods": onlyGet,
        "shutdownEndsWhatIsInFlight": immortal,
        "shutdownRefusesWhatComes": immortal,
    ]
}
