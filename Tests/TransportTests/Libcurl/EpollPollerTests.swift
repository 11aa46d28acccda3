#if !canImport(Darwin)
import CRequestsCurl
import Foundation
import RequestsTesting
import Testing

@testable import RequestsCurl

/// Each test runs in a separate process, in which few threads open files.
@Suite("Descriptors of the event loop", .timeLimit(.minutes(5)))
struct EpollPollerTests {
    @Test("A descriptor that libcurl closed while it connected isn't touched when it belongs to another file")
    func reusedDescriptor() async {
        await #expect(processExitsWith: .success) {
            let poller = try AttachedPoller()
            let socket = try SocketPair()
            poller.poller.noteOpened(socket.descriptor)
            poller.poller.watch(socket.descriptor, CURL_POLL_OUT)
            socket.closeBoth()
            // Another file gets the same descriptor. libcurl withdraws its interest later.
            let other = try SocketPair(at: socket.descriptor)
            poller.poller.watch(socket.descriptor, CURL_POLL_REMOVE)
            try other.wake()
            poller.poller.wait(until: 1)
            #expect(other.isConnected)
        }
    }

    @Test("A descriptor that the system can't watch is reported")
    func unwatchedDescriptor() async {
        await #expect(processExitsWith: .success) {
            let poller = try AttachedPoller()
            // epoll doesn't watch directories. A closed descriptor could belong to another file by now.
            let directory = open("/", O_RDONLY)
            try #require(directory >= 0)
            poller.poller.noteOpened(directory)
            #expect(poller.poller.watch(directory, CURL_POLL_OUT) == EPERM)
        }
    }

    @Test("An idle connection that the server writes to is ended")
    func idleConnection() async {
        await #expect(processExitsWith: .success) {
            let poller = try AttachedPoller()
            let socket = try SocketPair()
            poller.poller.noteOpened(socket.descriptor)
            poller.poller.update(socket.descriptor) { $0.isConnected = true }
            poller.poller.watch(socket.descriptor, CURL_POLL_IN)
            poller.poller.watch(socket.descriptor, CURL_POLL_REMOVE)
            try socket.wake()
            poller.poller.wait(until: 1)
            #expect(!socket.isConnected)
        }
    }
}

private struct AttachedPoller {
    let poller: EpollPoller

    init() throws {
        poller = try EpollPoller(.linked)
        poller.attach(to: try #require(curl_multi_init()), clock: LoopClock())
    }
}

/// Two connected sockets.
private struct SocketPair {
    let descriptor: Int32
    let peer: Int32

    init() throws {
        var ends: [Int32] = [0, 0]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        (descriptor, peer) = (ends[0], ends[1])
    }

    /// A pair whose first end has a descriptor that may be in use.
    init(at descriptor: Int32) throws {
        let pair = try SocketPair()
        try #require(dup2(pair.descriptor, descriptor) == descriptor)
        (self.descriptor, peer) = (descriptor, pair.peer)
    }

    /// Makes the descriptor readable.
    func wake() throws {
        try #require(send(peer, "x", 1, Int32(MSG_NOSIGNAL)) == 1)
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
#endif
