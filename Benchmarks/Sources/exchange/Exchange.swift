import Foundation

/// Sends requests to one server with one library, and prints the cost:
///
///     exchange curl --url http://127.0.0.1:8080/json --count 10000 --in-flight 64
///
/// Prints the processor time for each exchange in microseconds, the peak of the resident memory above idle in KiB, and
/// the number of bytes received. `Benchmarks/compare` runs it with each library and prints tables.
@main
struct Exchange {
    /// Not asynchronous, because valgrind crashes at the end of an asynchronous `main`.
    static func main() {
        let isDone = DispatchSemaphore(value: 0)
        Task.detached {
            do {
                try await measure()
            } catch {
                print(error)
                exit(1)
            }
            isDone.signal()
        }
        isDone.wait()
    }

    private static func measure() async throws {
        guard let work = Work(CommandLine.arguments.dropFirst()), let way = Way(rawValue: work.way) else {
            let ways = Way.allCases.map(\.rawValue).joined(separator: "|")
            print("usage: exchange \(ways) --url URL")
            print("           [--count N] [--in-flight N] [--authority FILE] [--http 1|2|3] [--upload BYTES]")
            print("           [--fresh-connections] [--gzip] [--no-samples]")
            exit(2)
        }
        // The process and its pools are set up before the measurement.
        if work.count > 100 { _ = try await way.run(work.warmUp) }
        let memory = Memory(samples: work.samplesMemory)
        let before = Usage.now
        let received = try await way.run(work)
        let time = Usage.now.processorTime - before.processorTime
        let microseconds = time / .microseconds(1) / Double(work.count)
        print(String(format: "%.2f %d %lld", microseconds, memory.growth, received))
    }
}

/// The exchanges to measure.
struct Work: Sendable {
    var way = ""
    var url = ""
    var authority: String?
    var count = 1
    var inFlight = 1
    var httpVersion = 1
    var upload: Int64?
    var freshConnections = false
    /// Whether compressed bodies are accepted and decoded.
    var gzip = false
    /// Whether the memory is sampled, which costs instructions.
    var samplesMemory = true

    init?(_ arguments: ArraySlice<String>) {
        guard let way = arguments.first else { return nil }
        self.way = way
        var rest = arguments.dropFirst()
        while let name = rest.popFirst() {
            switch name {
            case "--fresh-connections": freshConnections = true
            case "--gzip": gzip = true
            case "--no-samples": samplesMemory = false
            default:
                guard let value = rest.popFirst() else { return nil }
                switch name {
                case "--url": url = value
                case "--authority": authority = value
                case "--count": count = Int(value) ?? 1
                case "--in-flight": inFlight = Int(value) ?? 1
                case "--http": httpVersion = min(max(Int(value) ?? 1, 1), 3)
                case "--upload": upload = Int64(value)
                default: return nil
                }
            }
        }
    }

    var warmUp: Work {
        var copy = self
        copy.count = min(count / 10, 1000)
        return copy
    }
}
