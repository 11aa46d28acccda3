import Foundation

/// The public keys that servers may have, beyond being trusted.
///
/// ```swift
/// let pins: PublicKeyPins = [
///     "api.example.com": ["x4QzPSC810K5/cMjb05Qm4k3Bw5zBn4lTdO/nEW/Td4="],
///     "*.example.com": ["YLh1dUR9y6Kja30RrAn7JKnbQG/uEtLMkBgFF2Fuihg=", "sRHdihwgkaib1P1gxX8HFszlD+7/gTfNvuAybgLPNis="],
/// ]
/// ```
///
/// A pin is the Base64 of the SHA-256 of a key's SubjectPublicKeyInfo, as in RFC 7469 §2.4; name two for each host, one
/// of them a backup that is not in use yet. Pins add to the verification of certificates and replace none of it. Of an
/// exact name and wildcards the longest counts; a wildcard stands for one or more labels. A pinned host is reached over
/// TLS alone, and a key that is not pinned ends the exchange with ``TransportError/Code/pinMismatch`` before a byte of
/// the request is sent.
public struct PublicKeyPins: Hashable, Sendable {
    private var pinsByHost: [String: [String]] = [:]
    /// Names that are no hosts: a pin without effect would be worse than none.
    private var invalidNames: Set<String> = []

    /// Creates pins of hosts.
    ///
    /// - Parameter pinsByHost: For each name, or `*.` and a name, the pins of the keys that it may have.
    public init(_ pinsByHost: [String: [String]]) {
        for (name, pins) in pinsByHost {
            if let host = PublicKeyPins.normalized(name) {
                self.pinsByHost[host, default: []] += pins
            } else {
                invalidNames.insert(name)
            }
        }
    }

    /// The name as a request's URL has it: in lower-case ASCII, without the dot of the root.
    private static func normalized(_ name: String) -> String? {
        let isWildcard = name.utf8.starts(with: "*.".utf8)
        var host = isWildcard ? name.dropFirst(2) : name[...]
        if host.utf8.last == UInt8(ascii: ".") { host = host.dropLast() }
        guard !host.isEmpty, let ascii = Host.ascii(host) else { return nil }
        return isWildcard ? "*.\(ascii)" : ascii
    }

    /// Whether no host is pinned.
    public var isEmpty: Bool { pinsByHost.isEmpty && invalidNames.isEmpty }

    /// The pins of the keys that a host may have; `nil` when it is not pinned.
    ///
    /// - Parameter host: A host's name, in any case, without a port.
    public subscript(host: String) -> [String]? {
        guard !isEmpty else { return nil }
        var name = ASCII.lowercased(host)[...]
        while name.utf8.last == UInt8(ascii: ".") { name = name.dropLast() }
        if let pins = pinsByHost[String(name)] { return pins }
        while let dot = name.firstIndex(of: ".") {
            if let pins = pinsByHost["*" + name[dot...]] { return pins }
            name = name[dot...].dropFirst()
        }
        return nil
    }

    /// Throws when a pin could never match, or a host is pinned to nothing.
    package func validate() throws(TransportError) {
        if let name = invalidNames.min() {
            throw .unsupported(
                "\(Redaction.quoted(name)) is pinned and is not a host; write a name without scheme, port and path"
            )
        }
        for (host, pins) in pinsByHost.sorted(by: { $0.key < $1.key }) {
            guard !pins.isEmpty else { throw .unsupported("the host \(Redaction.quoted(host)) is pinned to no key") }
            for pin in pins where Data(base64Encoded: pin)?.count != 32 {
                let hint = pin.hasPrefix("sha256/") ? "; leave out “sha256/”" : ""
                throw .unsupported(
                    "the pin \(Redaction.quoted(pin)) of \(Redaction.quoted(host)) is not the Base64 of a SHA-256\(hint)"
                )
            }
        }
    }

    /// Throws when a request to a pinned host would not be made over TLS.
    package func check(_ url: RequestURL) throws(TransportError) {
        guard !isEmpty, !url.isSecure, self[url.host] != nil else { return }
        throw .unsupported("the host \(url.host) is pinned, and \(url.origin) has no key to check; use https")
    }
}

extension PublicKeyPins: ExpressibleByDictionaryLiteral {
    /// Creates pins of hosts.
    public init(dictionaryLiteral elements: (String, [String])...) {
        self.init(Dictionary(elements, uniquingKeysWith: +))
    }
}
