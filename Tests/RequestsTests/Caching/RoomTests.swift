import Foundation
import Testing

@testable import RequestsCache

@Suite("Room in a folder", .timeLimit(.minutes(5)))
struct RoomTests {
    @Test("The files are counted after the first entry, and then in the background before the room is used up")
    func background() throws {
        var room = CacheSpace(1600)
        #expect(try room.add(10) == .inBackground)
        #expect(try room.add(10) == .notNow)
        room.note(500, since: 10)
        #expect(try (0..<9).map { _ in try room.add(10) } == Array(repeating: .notNow, count: 9))
        #expect(try room.add(10) == .inBackground)
        #expect(try room.add(10) == .notNow)
    }

    @Test("What is completed while the files are counted isn't forgotten")
    func meanwhile() throws {
        var room = CacheSpace(1600)
        _ = try room.add(10)
        // 1500 bytes were found, and 90 more are written before the count ends.
        _ = try room.add(90)
        room.note(1500, since: 10)
        #expect(try room.add(11) == .immediately)
    }

    @Test("An entry for which there is no room waits until the files are counted")
    func full() throws {
        var room = CacheSpace(1600)
        _ = try room.add(10)
        room.note(1590, since: 10)
        #expect(try room.add(11) == .immediately)
        #expect(throws: POSIXError.self) { try room.add(1601) }
    }

    @Test("Bodies that are written at the same time share the room")
    func bodies() throws {
        var room = CacheSpace(100)
        try room.reserve(60)
        #expect(throws: POSIXError.self) { try room.reserve(41) }
        try room.reserve(40)
        room.release(60)
        try room.reserve(60)
    }
}
