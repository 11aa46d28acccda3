import Requests

/// The public keys that servers may use, in addition to a trusted certificate.
///
/// ```swift
/// let pins: PublicKeyPins = [
///     "api.example.com": ["x4QzPSC810K5/cMjb05Qm4k3Bw5zBn4lTdO/nEW/Td4="],
///     "*.example.com": [
///         "YLh1dUR9y6Kja30RrAn7JKnbQG/uEtLMkBgFF2Fuihg=",
///         "sRHdihwgkaib1P1gxX8HFszlD+7/gTfNvuAybgLPNis=",
///     ],
/// ]
/// ```
///
/// A pin is the Base64 of the SHA-256 of a key's SubjectPublicKeyInfo (RFC 7469 §2.4). Pin two keys per host: the
/// current one and an unused backup. Pins don't replace any part of the verification of certificates. The longest
/// matching name counts, and a wildcard matches one or more labels. Requests to a pinned host must use `https`. If the
/// key isn't pinned, the request fails with `TransportError.Code.pinMismatch` before it is sent.
public struct PublicKeyPins: Hashable, Sendable {
    private var pinsByHost: [String: [String]] = [:]
    /// Names that aren't hosts. Rejected, because their pins would have no effect.
    private var invalidNames: Set<String> = []

    /// Creates pins for hosts.
    ///
    /// - Parameter pinsByHost: The pins of each host. A name can start with `*.`.
    public init(_ pinsByHost: [String: [String]]) {
        for (name, pins) in pinsByHost {
            if let host = PublicKeyPins.normalized(name) {
                self.pinsByHost[host, default: []] += pins
            } else {
                invalidNames.insert(name)
            }
        }
    }

    /// Returns the name as in a URL: lowercase ASCII, without a trailing dot.
    private static func normalized(_ name: String) -> String? {
        let isWildcard = name.utf8.starts(with: "*.".utf8)
        var host = isWildcard ? name.dropFirst(2) : name[...]
        if host.utf8.last == UInt8(ascii: ".") { host = host.dropLast() }
        guard !host.isEmpty, let ascii = HostName.ascii(host) else { return nil }
        return isWildcard ? "*.\(ascii)" : ascii
    }

    /// Whether there are no pins.
    public var isEmpty: Bool { pinsByHost.isEmpty && invalidNames.isEmpty }

    /// The pins of a host. `nil` if the host isn't pinned.
    ///
    /// - Parameter host: The host's name without a port. The case doesn't matter.
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

    /// Returns whether a server may have a public key. A host without pins may have any.
    ///
    /// - Parameters:
    ///   - subjectPublicKeyInfo: The key as the DER encoding of its SubjectPublicKeyInfo (RFC 5280 §4.1).
    ///   - host: A host's name, in any case, without a port.
    public func accepts(_ subjectPublicKeyInfo: Data, for host: String) -> Bool {
        guard let pins = self[host] else { return true }
        return pins.contains(Data(SHA2.sha256(subjectPublicKeyInfo)).base64EncodedString())
    }

    /// Throws if a pin can never match, or if a host has no pins. A transport calls it when it is created.
    ///
    /// - Throws: `TransportError.Code.unsupported`, naming the host or the pin.
    public func validate() throws(TransportError) {
        if let name = invalidNames.min() {
            throw .unsupported(
                "the pinned name \(Redaction.quoted(name)) isn't a host; use a name without scheme, port and path"
            )
        }
        for (host, pins) in pinsByHost.sorted(by: { $0.key < $1.key }) {
            guard !pins.isEmpty else { throw .unsupported("the pinned host \(Redaction.quoted(host)) has no pins") }
            for pin in pins where Data(base64Encoded: pin)?.count != 32 {
                let hint = pin.hasPrefix("sha256/") ? "; remove “sha256/”" : ""
                throw .unsupported(
                    "the pin \(Redaction.quoted(pin)) of \(Redaction.quoted(host)) isn't the Base64 of a SHA-256\(hint)"
                )
            }
        }
    }

    /// Throws if a request to a pinned host doesn't use TLS. A transport calls it for each request.
    ///
    /// - Throws: `TransportError.Code.unsupported`.
    public func check(_ url: RequestURL) throws(TransportError) {
        guard !isEmpty, !url.isSecure, self[url.host] != nil else { return }
        throw .unsupported("the host \(url.host) is pinned, but \(url.origin) doesn't use TLS; use https")
    }
}

extension PublicKeyPins: ExpressibleByDictionaryLiteral {
    /// Creates pins for hosts.
    public init(dictionaryLiteral elements: (String, [String])...) {
        self.init(Dictionary(elements, uniquingKeysWith: +))
    }
}
