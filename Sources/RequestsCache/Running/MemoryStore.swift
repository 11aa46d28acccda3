import Requests
import RequestsClient
import RequestsSystem

extension HTTPCache {
    /// A store in memory, which forgets the least recently used responses.
    public final class MemoryStore: CacheStore {
        private struct Item {
            var response: StoredResponse
            let body: Data
            var lastUse: UInt64

            /// The size in memory, roughly.
            var size: Int {
                response.header.reduce(body.count + 500) { $0 + $1.name.rawValue.utf8.count + $1.value.utf8.count + 64 }
            }
        }

        private struct State {
            var items: [String: Item] = [:]
            /// The size of all items.
            var size = 0
            var uses: UInt64 = 0

            subscript(name: String) -> Item? {
                get { items[name] }
                set {
                    size += (newValue?.size ?? 0) - (items[name]?.size ?? 0)
                    items[name] = newValue
                }
            }
        }

        private let random = HTTPCache.randomKey()
        private let state = Locked(State())
        private let room: Locked<CacheSpace>

        init(bytes: Int) { room = Locked(CacheSpace(Int64(bytes))) }

        /// Returns the key.
        public func key() -> Data { random }

        /// Returns an entry.
        public func entry(_ name: String) -> Entry? {
            guard let item = state.withLock({ $0.items[name] }) else { return nil }
            return Entry(item.response) { [self] range in
                state.withLock { state in
                    state.uses += 1
                    state.items[name]?.lastUse = state.uses
                }
                return ResponseBody(item.body.part(range))
            }
        }

        /// Returns the names of all entries that start with a prefix.
        public func names(startingWith prefix: String) -> [String] {
            state.withLock { $0.items.keys.filter { $0.hasPrefix(prefix) } }
        }

        /// Begins an entry.
        public func write(_ response: StoredResponse, to name: String) -> any CacheWriter { Writer(self, name) }

        /// Replaces the response of an entry, or removes it.
        public func update(_ name: String, to response: StoredResponse?) {
            state.withLock { state in
                guard let response else { return state[name] = nil }
                if state[name]?.response.isSame(as: response) ?? false { state[name]?.response = response }
            }
        }

        /// The size of all entries in bytes.
        public var size: Int64 { Int64(state.withLock(\.size)) }

        /// Adds an item. If the store is full, removes an eighth more than necessary, so that most calls sort nothing.
        private func insert(_ response: StoredResponse, _ body: Data, as name: String) throws {
            let limit = Int(clamping: room.withLock(\.limit))
            try state.withLock { state in
                state.uses += 1
                let item = Item(response: response, body: body, lastUse: state.uses)
                guard item.size <= limit else { throw POSIXError(.EFBIG) }
                state[name] = nil
                if state.size + item.size > limit {
                    for (name, _) in state.items.sorted(by: { $0.value.lastUse < $1.value.lastUse })
                    where state.size + item.size > limit / 8 * 7 { state[name] = nil }
                }
                state[name] = item
            }
        }

        private actor Writer: CacheWriter {
            private let store: MemoryStore
            private let name: String
            private var body = Data()

            init(_ store: MemoryStore, _ name: String) { (self.store, self.name) = (store, name) }

            deinit {
                let count = Int64(body.count)
                store.room.withLock { $0.release(count) }
            }

            func append(_ bytes: Data) throws {
                try store.room.withLock { try $0.reserve(Int64(bytes.count)) }
                body.append(bytes)
            }

            func finish(_ response: StoredResponse) throws { try store.insert(response, body, as: name) }
        }
    }
}

extension CacheStore where Self == HTTPCache.MemoryStore {
    /// A store in memory, which forgets the least recently used responses.
    ///
    /// - Parameter bytes: The maximum size of all responses.
    public static func memory(bytes: Int) -> HTTPCache.MemoryStore { HTTPCache.MemoryStore(bytes: bytes) }
}
