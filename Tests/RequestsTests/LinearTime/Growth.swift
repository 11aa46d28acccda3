import Foundation

/// How the processor time of an operation grows with its input.
///
/// Not the time that passes: other processes don't count. A program can't count its own instructions in every sandbox.
enum Growth {
    /// Returns by how much the time grows if the input doubles: 2 for linear time, 4 for quadratic time.
    ///
    /// Measures two doublings, because a single one may exceed a processor's cache. The first input is one that takes
    /// long enough to be measured well, and the last has at most 1 MB. The fastest of several runs counts.
    ///
    /// - Parameters:
    ///   - input: Makes an input of a size in bytes.
    ///   - operation: Processes the input.
    static func ofTime<Input>(_ input: (Int) -> Input, _ operation: (Input) -> Void) -> Double {
        var size = 16 << 10
        var time = fastest(of: 1, input(size), operation)
        while size < 256 << 10, time < 20_000_000 {
            size *= 2
            time = fastest(of: 1, input(size), operation)
        }
        let (small, large) = (input(size), input(size * 4))
        var best = (small: UInt64.max, large: UInt64.max)
        // A run can be slowed down by other processes, but never sped up.
        for _ in 0..<20 {
            best.small = min(best.small, fastest(of: 3, small, operation))
            best.large = min(best.large, fastest(of: 1, large, operation))
            if ratio(best) < limit { break }
        }
        return ratio(best)
    }

    /// Between linear and quadratic time.
    static let limit = 3.0

    private static func ratio(_ times: (small: UInt64, large: UInt64)) -> Double {
        (Double(times.large) / Double(max(times.small, 1))).squareRoot()
    }

    private static func fastest<Input>(of count: Int, _ input: Input, _ operation: (Input) -> Void) -> UInt64 {
        (0..<count).map { _ in
            let start = nanoseconds(CLOCK_THREAD_CPUTIME_ID)
            operation(input)
            return nanoseconds(CLOCK_THREAD_CPUTIME_ID) - start
        }.min() ?? 0
    }

    private static func nanoseconds(_ clock: clockid_t) -> UInt64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}
