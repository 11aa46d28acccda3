#if canImport(CRequestsCurl)
import Requests
import RequestsClient
import RequestsSystem

/// The IP addresses that a transport may connect to, to keep attackers from directing requests into your network.
///
/// ```swift
/// var configuration = CurlTransport.Configuration()
/// configuration.addressPolicy = .publicOnly.allowing("10.1.0.0/16")
/// ```
///
/// Every address is checked when its socket is opened: after name resolution, for each address of a host, each
/// redirect, and each override in ``CurlTransport/Connections``. So changing a name's address between two lookups (DNS
/// rebinding) doesn't get around it. If all addresses of a request are rejected, the request fails with
/// `TransportError.Code.addressNotAllowed`, and nothing is sent.
///
/// Through a proxy, only the proxy's own address and hosts that are IP addresses are checked. The proxy resolves the
/// other hosts, so it needs a policy, too. To use a proxy inside your network, call ``allowingProxies(_:)``, which
/// doesn't allow requests to the proxy's address.
public struct AddressPolicy: Hashable, Sendable {
    let isAny: Bool
    /// The exceptions as they were written, so that creating a transport can name an invalid one.
    private var exceptions: [String] = []
    private var proxies: [String] = []

    /// All addresses.
    public static let any = AddressPolicy(isAny: true)

    /// Only addresses that are globally reachable: no loopback, private, shared, link-local, multicast or reserved
    /// addresses, in IPv4, IPv6 or embedded in IPv6, and no addresses of cloud metadata services (IANA special-purpose
    /// address registries, RFC 6890).
    public static let publicOnly = AddressPolicy(isAny: false)

    private init(isAny: Bool) { self.isAny = isAny }

    /// Returns a policy that also allows requests to the addresses in some networks.
    ///
    /// - Parameter networks: Networks in CIDR notation, such as `10.1.0.0/16` or `fd00::/8`, or single addresses.
    ///   Creating a transport throws if one is invalid.
    public func allowing(_ networks: String...) -> AddressPolicy {
        var policy = self
        policy.exceptions += networks
        return policy
    }

    /// Returns a policy that also allows proxies in some networks. Requests to these addresses stay rejected.
    ///
    /// - Parameter networks: Networks in the format of ``allowing(_:)``.
    public func allowingProxies(_ networks: String...) -> AddressPolicy {
        var policy = self
        policy.proxies += networks
        return policy
    }

    /// Returns the policy's networks, parsed. Throws if one of the exceptions is invalid.
    func check() throws(TransportError) -> AddressCheck {
        AddressCheck(
            rejected: isAny ? [] : AddressCheck.special,
            allowed: try AddressPolicy.parse(exceptions),
            allowedProxies: try AddressPolicy.parse(proxies)
        )
    }

    private static func parse(_ networks: [String]) throws(TransportError) -> [IPNetwork] {
        try networks.map { (text) throws(TransportError) in
            if let network = IPNetwork(text) { return network }
            throw .unsupported(
                "addressPolicy allows \(Redaction.quoted(text)), which isn't a network; write it like 10.1.0.0/16"
            )
        }
    }
}

/// An address policy with parsed networks.
struct AddressCheck: Sendable {
    let rejected: [IPNetwork]
    let allowed: [IPNetwork]
    let allowedProxies: [IPNetwork]

    func allows(_ address: IPAddress, asProxy isProxy: Bool = false) -> Bool {
        // The system or a gateway connects to the IPv4 address inside an IPv6 address, so that one is checked.
        let address = address.embedded ?? address
        if (isProxy ? allowedProxies : allowed).contains(where: { $0.contains(address) }) { return true }
        return !rejected.contains { $0.contains(address) }
    }

    /// Throws if the host of a proxied request is a rejected address, because the proxy would connect to it.
    func check(_ request: PreparedRequest) throws(TransportError) {
        guard let address = IPAddress(request.url.host), !allows(address) else { return }
        let reason = AddressCheck.reason(request.url.host)
        throw TransportError(.addressNotAllowed, of: request, reason, phase: .preparing)
    }

    static func reason(_ address: String, ofProxy isProxy: Bool = false) -> String {
        isProxy
            ? "the proxy's address \(address) is rejected by addressPolicy; allow it with allowingProxies(_:)"
            : "the address \(address) is rejected by addressPolicy; if it is safe, allow it with allowing(_:)"
    }

    /// Every network that isn't globally reachable.
    static let special: [IPNetwork] = [
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
        "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
        "224.0.0.0/4", "240.0.0.0/4",
        // The metadata service of Azure has a public address.
        "168.63.129.16",
        // Only 2000::/3 is global unicast, apart from a few networks in it.
        "::/3", "4000::/2", "8000::/1", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
    ].compactMap { IPNetwork($0) }
}
#endif
