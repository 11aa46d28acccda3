import Requests

/// A parsed `curl` command: the parts of the request that it describes.
struct CurlCommand {
    enum Body {
        case none
        /// The values of all `--data` options, to be joined with `&`.
        case data([RequestBody])
        case json(String)
        case form([Multipart.Part])
    }

    private(set) var method: String?
    private(set) var usesHead = false
    private(set) var usesQuery = false
    private(set) var url: String?
    private(set) var header = Header.empty
    /// The default fields that `-H 'Name:'` removes.
    private(set) var removed: Set<Field.Name> = []
    private(set) var body = Body.none
    private(set) var timeouts = Timeouts()

    init(_ text: String) throws {
        var words = try ShellWords.words(of: text)[...]
        guard let program = words.popFirst(), program.split(separator: "/").last == "curl" else {
            throw RequestError.invalidCommand("curl", "The command doesn't start with curl. Pass one curl command.")
        }
        var isOption = true
        while let word = words.popFirst() {
            if isOption, word == "--" {
                isOption = false
            } else if isOption, word.hasPrefix("--") {
                try apply(long: String(word.dropFirst(2)), &words)
            } else if isOption, word.hasPrefix("-"), word.count > 1 {
                try apply(short: word.dropFirst(), &words)
            } else {
                try setURL(word)
            }
        }
    }

    private mutating func apply(long name: String, _ words: inout ArraySlice<String>) throws {
        guard let option = CurlOption.long[name] else { throw CurlCommand.unknown("--\(name)") }
        try apply(option, option.takesValue ? try CurlCommand.value(of: "--\(name)", &words) : "")
    }

    /// Applies a word such as `-sSXPOST`, which combines flags and may end with an option and its value.
    private mutating func apply(short word: Substring, _ words: inout ArraySlice<String>) throws {
        var rest = word
        while let name = rest.popFirst() {
            guard let option = CurlOption.short[name] else { throw CurlCommand.unknown("-\(name)") }
            guard option.takesValue else {
                try apply(option, "")
                continue
            }
            try apply(option, rest.isEmpty ? try CurlCommand.value(of: "-\(name)", &words) : String(rest))
            return
        }
    }

    private mutating func apply(_ option: CurlOption, _ value: String) throws {
        switch option {
        case .method: method = value
        case .head: usesHead = true
        case .get: usesQuery = true
        case .header: try addHeader(value)
        case .data: try add(value.hasPrefix("@") ? CurlCommand.lines(of: value.dropFirst()) : .text(value))
        case .dataRaw: try add(.text(value))
        case .dataBinary: try add(value.hasPrefix("@") ? CurlCommand.file(value.dropFirst()) : .text(value))
        case .dataURLEncoded: try add(.text(try CurlCommand.encoded(value)))
        case .json:
            guard case .none = body else { throw CurlCommand.mixedBodies }
            body = .json(value)
        case .form: try add(part: try CurlCommand.part(value, readsFiles: true))
        case .formString: try add(part: try CurlCommand.part(value, readsFiles: false))
        case .user:
            let (name, password) = value.split(at: ":")
            header.set(.authorization("Basic \(Data("\(name):\(password ?? "")".utf8).base64EncodedString())"))
        case .bearer: header.set(.authorization("Bearer \(value)"))
        case .userAgent: header.set(Field(name: .userAgent, value: value))
        case .referer: header.set(Field(name: "Referer", value: value))
        case .cookie:
            guard value.contains("=") else {
                throw RequestError.invalidCommand("-b", "-b names a file of cookies. Pass them as -b 'name=value'.")
            }
            header.set(Field(name: .cookie, value: value))
        case .url: try setURL(value)
        case .maximumTime: timeouts.total = try CurlCommand.seconds(value, of: "-m")
        case .connectTimeout: timeouts.connect = try CurlCommand.seconds(value, of: "--connect-timeout")
        case .ignoredFlag, .ignoredValue: break
        }
    }

    private mutating func setURL(_ text: String) throws(RequestError) {
        guard url == nil else {
            throw .invalidCommand("URL", "The command has two URLs. Pass one request at a time.")
        }
        url = text.contains("://") ? text : "http://\(text)"
    }

    private mutating func addHeader(_ line: String) throws(RequestError) {
        guard let end = line.firstIndex(where: { $0 == ":" || $0 == ";" }) else {
            throw .invalidCommand("-H", "The option -H has no colon. Write -H 'Name: value'.")
        }
        let name = Field.Name(String(line[..<end]))
        let value = line[line.index(after: end)...].trimmingFieldWhitespace()
        // `Name;` adds a field with an empty value, and `Name:` removes a field that curl would add by default.
        if line[end] == ":", value.isEmpty {
            removed.insert(name)
        } else if name != .contentLength {
            header.add(Field(name: name, value: value))
        }
    }

    private mutating func add(_ piece: RequestBody) throws(RequestError) {
        switch body {
        case .none: body = .data([piece])
        case .data(var pieces):
            // Emptied first, so that appending doesn't copy the array.
            body = .none
            pieces.append(piece)
            body = .data(pieces)
        case .json, .form: throw CurlCommand.mixedBodies
        }
    }

    private mutating func add(part: Multipart.Part) throws(RequestError) {
        switch body {
        case .none: body = .form([part])
        case .form(var parts):
            body = .none
            parts.append(part)
            body = .form(parts)
        case .data, .json: throw CurlCommand.mixedBodies
        }
    }
}

extension RequestBody {
    fileprivate static func text(_ text: String) -> RequestBody { .data(Data(text.utf8)) }
}
