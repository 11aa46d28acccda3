// The runtime of scripts/mutate, which adds this file to each module that it changes.

import Foundation

/// The number of the mutant that is switched on, if any.
private let active = ProcessInfo.processInfo.environment["REQUESTS_MUTANT"].flatMap { Int($0) }

/// A file with one byte for each mutant, which becomes 1 when the mutant's code runs.
nonisolated(unsafe) private let reached: UnsafeMutablePointer<UInt8>? = {
    guard let path = ProcessInfo.processInfo.environment["REQUESTS_MUTANTS_REACHED"] else { return nil }
    let file = open(path, O_RDWR)
    let size = Int(lseek(file, 0, SEEK_END))
    return mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)?.bindMemory(to: UInt8.self, capacity: size)
}()

/// Whether the mutant is switched on.
func isMutant(_ number: Int) -> Bool {
    reached?[number] = 1
    return number == active
}

func mutatedInteger<T: Numeric>(_ number: Int, _ value: T) -> T { isMutant(number) ? value + 1 : value }

func mutatedBool(_ number: Int, _ value: Bool) -> Bool { isMutant(number) ? !value : value }
