#if !canImport(Darwin)
import CRequestsCurl
import Foundation
import RequestsTesting
import Testing

@testable import RequestsCurl

@Suite("Descriptors of the event loop", .timeLimit(.minutes(5)))
struct EpollPollerTests {
    /// A pair of connected sockets, one of which has a given descriptor: a high one, which no other test gets.
    private struct Pair {
        let descriptor: Int32
        let peer: Int32

        init(at descriptor: Int32) throws {
            var ends: [Int32] = [0, 0]
            try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
            peer = ends[1]
            try #require(dup2(ends[0], descriptor) == descriptor)
            close(ends[0])
            self.descriptor = descriptor
        }

        /// Whether a byte gets from the descriptor to the peer.
        var isConnected: Bool {
            guard send(descriptor, "x", 1, Int32(MSG_NOSIGNAL)) == 1 else { return false }
            var byte: UInt8 = 0
            return recv(peer, &byte, 1, Int32(MSG_DONTWAIT)) == 1
        }

        func closeBoth() {
            close(descriptor)
            close(peer)
        }
    }

    private func makePoller() throws -> (EpollPoller, UnsafeMutableRawPointer) {
        let poller = try EpollPoller()
        let multi = try #require(curl_multi_init())
        poller.attach(to: multi, clock: LoopClock())
        return (poller, multi)
    }

    @Test("A descriptor that libcurl closed while it connected isn't touched when it belongs to another file")
    func reusedDescriptor() throws {
        let (poller, multi) = try makePoller()
        defer { curl_multi_cleanup(multi) }
        let socket = try Pair(at: 1000)
        poller.noteOpened(socket.descriptor)
        poller.watch(socket.descriptor, CURL_POLL_OUT)
        socket.closeBoth()
        // Another thread opens a file, which gets the same descriptor. libcurl withdraws its interest later.
        let other = try Pair(at: socket.descriptor)
        defer { other.closeBoth() }
        poller.watch(socket.descriptor, CURL_POLL_REMOVE)
        #expect(send(other.peer, "x", 1, Int32(MSG_NOSIGNAL)) == 1)
        poller.wait(until: 1)
        #expect(other.isConnected)
    }

    @Test("An idle connection that the server writes to is ended")
    func idleConnection() throws {
        let (poller, multi) = try makePoller()
        defer { curl_multi_cleanup(multi) }
        let socket = try Pair(at: 1001)
        defer { socket.closeBoth() }
        poller.noteOpened(socket.descriptor)
        poller.noteConnected(socket.descriptor)
        poller.watch(socket.descriptor, CURL_POLL_IN)
        poller.watch(socket.descriptor, CURL_POLL_REMOVE)
        #expect(send(socket.peer, "x", 1, Int32(MSG_NOSIGNAL)) == 1)
        poller.wait(until: 1)
        #expect(!socket.isConnected)
    }
}
#endif
