import Requests

extension OpenAPI {
    /// Text with expressions in braces, such as `{name}.json` and `https://{region}.example.com`.
    struct Template: Hashable, Sendable {
        private let names: [String]
        /// The texts before, between and after the expressions.
        private let texts: [String]

        init(_ text: some StringProtocol) {
            var (names, texts) = ([String](), [""])
            var rest = text[...]
            while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
                texts[texts.count - 1] += rest[..<open]
                names.append(String(rest[rest.index(after: open)..<close]))
                texts.append("")
                rest = rest[rest.index(after: close)...]
            }
            texts[texts.count - 1] += rest
            if names.isEmpty { texts = texts.map(PathSegment.decoded) }
            (self.names, self.texts) = (names, texts)
        }

        var isLiteral: Bool { names.isEmpty }

        /// Returns the values of the expressions, which match at least one character. `nil` if the text doesn't match.
        ///
        /// - Parameter text: A text whose percent-encoding is kept, because a value can contain encoded separators.
        func values(in text: String) -> [String: String]? {
            if isLiteral { return text == texts[0] || PathSegment.decoded(text) == texts[0] ? [:] : nil }
            guard text.hasPrefix(texts[0]), let end = texts.last else { return nil }
            var rest = text.dropFirst(texts[0].count)
            var values: [String: String] = [:]
            for (name, separator) in zip(names.dropLast(), texts.dropFirst()) {
                // The first character belongs to the value. Without a separator, nothing else does.
                guard let range = rest.dropFirst().firstRange(of: separator) else { return nil }
                values[name] = String(rest[..<range.lowerBound])
                rest = rest[range.upperBound...]
            }
            guard rest.hasSuffix(end), rest.count > end.count, let name = names.last else { return nil }
            values[name] = String(rest.dropLast(end.count))
            return values
        }
    }

    /// A server of a document, a path or an operation.
    struct Server: Hashable, Sendable {
        let url: String
        /// The scheme and the authority. `nil` for a relative URL, which allows any.
        private let origin: Template?
        private let path: [Template]
        /// The allowed values of the variables that have an enum.
        private let values: [String: Set<String>]

        init(_ value: JSONValue) {
            var url = value["url"]?.string ?? "/"
            var allowed: [String: Set<String>] = [:]
            for (name, variable) in value["variables"]?.members ?? [:] {
                let values = variable["enum"]?.elements?.compactMap(\.string) ?? []
                if let value = variable["default"]?.string, value.isEmpty || value.contains("/") {
                    // A part of the path isn't one segment, so only the default is allowed.
                    url = url.replacing("{\(name)}", with: value)
                } else if !values.isEmpty {
                    allowed[name] = Set(values)
                }
            }
            (self.url, values) = (url, allowed)
            var path = url.prefix { $0 != "?" && $0 != "#" }
            let scheme = path.firstRange(of: "://")?.upperBound
            let start = scheme.map { path[$0...].firstIndex(of: "/") ?? path.endIndex } ?? path.startIndex
            let text = String(path[..<start])
            origin = text.isEmpty ? nil : Template(RequestURL.origin(text)?.description ?? text)
            path = path.last == "/" ? path[start...].dropLast() : path[start...]
            self.path = PathItem.segments(of: String(path)).map { Template($0) }
        }

        /// Returns the segments after the server's path. `nil` if the request is for another server.
        func rest(of path: [String], _ origin: RequestURL.Origin, ignoringOrigin: Bool) -> ArraySlice<String>? {
            guard path.count >= self.path.count else { return nil }
            var found = zip(self.path, path).map { $0.values(in: $1) }
            if let template = self.origin, !ignoringOrigin {
                let full = "\(origin.scheme)://\(origin.host):\(origin.port)"
                found.append(template.values(in: "\(origin)") ?? template.values(in: full))
            }
            let isSame = found.allSatisfy { $0?.allSatisfy { values[$0.key]?.contains($0.value) ?? true } ?? false }
            return isSame ? path.dropFirst(self.path.count) : nil
        }
    }
}
