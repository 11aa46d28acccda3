import Foundation

/// A property that holds for any input.
struct FuzzTarget: Sendable {
    let name: String
    /// Inputs to start with, in addition to the files in Fuzz/Corpus. Parts are separated by 0xFF.
    let seeds: [[String]]
    /// Ends the process if the property doesn't hold.
    let check: @Sendable (inout FuzzInput) throws -> Void

    init(_ name: String, seeds: [[String]], check: @escaping @Sendable (inout FuzzInput) throws -> Void) {
        (self.name, self.seeds, self.check) = (name, seeds, check)
    }

    static let all = urls + fields + bodies + streams + wire + shell + cache

    /// The target that the environment variable `FUZZ_TARGET` names. Without one, prints the names and exits.
    static let selected: FuzzTarget = {
        let name = ProcessInfo.processInfo.environment["FUZZ_TARGET"]
        guard let target = all.first(where: { $0.name == name }) else {
            print(all.map(\.name).joined(separator: "\n"))
            exit(name == nil ? 0 : 1)
        }
        return target
    }()

    /// Writes the seeds as files.
    func writeSeeds(to directory: URL) throws {
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        for (index, parts) in seeds.enumerated() {
            let data = Data(parts.map { Data($0.utf8) }.joined(separator: [FuzzInput.separator]))
            try data.write(to: directory.appending(path: "seed-\(index)"))
        }
    }
}

/// The input of a target, part by part.
struct FuzzInput {
    /// A byte that UTF-8 doesn't contain.
    static let separator: UInt8 = 0xFF

    private var rest: Data

    init(_ data: Data) {
        rest = data
    }

    /// Takes the bytes up to the next separator.
    mutating func bytes() -> Data {
        let part = rest.prefix { $0 != FuzzInput.separator }
        rest = rest.dropFirst(part.count + 1)
        return Data(part)
    }

    /// Takes the text up to the next separator.
    mutating func text() -> String { String(decoding: bytes(), as: UTF8.self) }

    /// Takes all other bytes.
    mutating func remainder() -> Data {
        defer { rest = Data() }
        return Data(rest)
    }
}

/// Ends the process if a property doesn't hold, so that libFuzzer keeps the input.
func require(_ condition: Bool, _ property: @autoclosure () -> String, line: UInt = #line, file: StaticString = #file) {
    if !condition { fatalError(property(), file: file, line: line) }
}

@_cdecl("LLVMFuzzerInitialize")
func initialize(_ count: UnsafeMutablePointer<CInt>, _ arguments: UnsafeMutableRawPointer) -> CInt {
    let target = FuzzTarget.selected
    if let path = ProcessInfo.processInfo.environment["FUZZ_SEEDS"] {
        do {
            try target.writeSeeds(to: URL(filePath: path))
        } catch {
            fatalError("the seeds can't be written: \(error)")
        }
    }
    return 0
}

@_cdecl("LLVMFuzzerTestOneInput")
func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = FuzzInput(Data(UnsafeBufferPointer(start: bytes, count: count)))
    do {
        try FuzzTarget.selected.check(&input)
    } catch {
        // An input that is rejected with an error.
        require("\(error)".utf8.count < 8192, "an error's text is bounded")
    }
    return 0
}
