import Testing

@testable import RequestsCurl

@Suite("The proxy for a URL", .timeLimit(.minutes(5)))
struct ProxyRulesTests {
    private func rules(_ environment: [String: String]) throws -> ProxyRules {
        try ProxyRules(.environment, environment: environment)
    }

    @Test("There is no proxy without a variable for it", arguments: [[:], ["http_proxy": ""], ["NO_PROXY": "h"]])
    func empty(environment: [String: String]) throws {
        #expect(try ProxyRules(.environment, environment: environment).isEmpty)
        #expect(try !ProxyRules(.environment, environment: ["https_proxy": "h:1"]).isEmpty)
        var configuration = CurlTransport.Configuration()
        (configuration.httpVersion, configuration.proxy) = (.http3, .environment)
        try configuration.validate(hasProxy: false)
        #expect(throws: TransportError.self) { try configuration.validate(hasProxy: true) }
    }

    @Test(
        "The environment variables select the proxy",
        arguments: [
            (["http_proxy": "http://p:3128"], "http://h/", "http://p:3128"),
            (["http_proxy": "p"], "http://h/", "http://p:1080"),
            (["http_proxy": "p:8080/"], "http://h/", "http://p:8080"),
            (["http_proxy": "http://p:80"], "http://h/", "http://p:80"),
            (["http_proxy": "p:1"], "https://h/", nil),
            (["HTTP_PROXY": "p:1"], "http://h/", nil),
            (["https_proxy": "https://p"], "https://h/", "https://p:443"),
            (["HTTPS_PROXY": "SOCKS5://[::1]:1"], "https://h/", "socks5://[::1]:1"),
            (["ALL_PROXY": "socks5h://p:1", "http_proxy": "q:2"], "https://h/", "socks5h://p:1"),
            (["ALL_PROXY": "socks5h://p:1", "http_proxy": "q:2"], "http://h/", "http://q:2"),
            (["http_proxy": ""], "http://h/", nil),
            (["all_proxy": "p:1", "no_proxy": "*"], "http://h/", nil),
            (["all_proxy": "p:1", "NO_PROXY": "x, h"], "http://h/", nil),
            (["all_proxy": "p:1", "no_proxy": ".example.com"], "http://a.example.com/", nil),
            (["all_proxy": "p:1", "no_proxy": "example.com"], "http://EXAMPLE.com./", nil),
            (["all_proxy": "p:1", "no_proxy": "example.com"], "http://badexample.com/", "http://p:1"),
            (["all_proxy": "p:1", "no_proxy": "10.0.0.0/8"], "http://10.200.3.4/", nil),
            (["all_proxy": "p:1", "no_proxy": "10.0.0.0/8"], "http://11.0.0.1/", "http://p:1"),
            (["all_proxy": "p:1", "no_proxy": "10.1.128.0/17"], "http://10.1.127.1/", "http://p:1"),
            (["all_proxy": "p:1", "no_proxy": "fd00::/8,::1"], "http://[fd12::1]/", nil),
            (["all_proxy": "p:1", "no_proxy": "fd00::/8,::1"], "http://[::1]/", nil),
            (["all_proxy": "p:1", "no_proxy": "::1"], "http://[::2]/", "http://p:1"),
            (["all_proxy": "p:1", "no_proxy": "*.example.com"], "http://a.example.com/", nil),
            (["all_proxy": "p:1", "no_proxy": "*.example.com"], "http://example.com/", "http://p:1"),
            (["all_proxy": "p:1", "no_proxy": "a,\n\t,h\n"], "http://h/", nil),
            (["no_proxy": "<local>"], "http://h/", nil),
            (["all_proxy": "p:1", "no_proxy": "*.example.com"], "http://badexample.com/", "http://p:1"),
            (["all_proxy": "p:1", "no_proxy": "example.com."], "http://a.example.com/", nil),
            (["all_proxy": "p:1", "no_proxy": "h:8080"], "http://h:8080/", nil),
            (["all_proxy": "p:1", "no_proxy": "h:8080"], "http://h/", "http://p:1"),
            (["all_proxy": "p:1", "no_proxy": "h:443"], "https://h/", nil),
            (["all_proxy": "p:1", "no_proxy": "h:80"], "https://h/", "http://p:1"),
            (["all_proxy": "p:1", "no_proxy": ".h.:80"], "http://a.h/", nil),
            (["all_proxy": "p:1", "no_proxy": "127.0.0.1:80"], "http://127.0.0.1/", nil),
            (["all_proxy": "p:1", "no_proxy": "127.0.0.1:80"], "http://127.0.0.1:81/", "http://p:1"),
            (["all_proxy": "p:1", "no_proxy": "[::1]:80,[::2]"], "http://[::1]/", nil),
            (["all_proxy": "p:1", "no_proxy": "[::1]:80,[::2]"], "http://[::2]:7/", nil),
            (["all_proxy": "p:1", "no_proxy": "[::1]:80"], "http://[::1]:81/", "http://p:1"),
            (["all_proxy": "p:1", "no_proxy": ", ,h,,"], "http://h/", nil),
        ] as [([String: String], String, String?)]
    )
    func environment(variables: [String: String], url: String, expected: String?) throws {
        #expect(try rules(variables).server(for: RequestURL(url))?.url == expected)
    }

    @Test(
        "An entry of no_proxy that can't match a host is ignored, and the others count",
        arguments: [
            "http://h", "h:x", "h:", "h:0", "h:65536", "h:+80", "a*.example", "*.", "10.0.0.0/8:80", "10.0.0.0/33",
            "[::1", "u@h", "::1:x", "h/a", "192.168.*", "<local>", "localhost:*", "169.254/16", "fe80::1%eth0",
        ]
    )
    func unmatchable(entry: String) throws {
        for name in ["no_proxy", "NO_PROXY"] {
            let rules = try rules(["all_proxy": "p:1", name: "a, \(entry), b"])
            #expect(rules.ignoredEntries.count == 1)
            #expect(rules.ignoredEntries.first?.contains("in the variable \(name) isn't a host") == true)
            for host in ["a", "b"] { #expect(try rules.server(for: RequestURL("http://\(host)/")) == nil) }
            #expect(try rules.server(for: RequestURL("http://h/")) != nil)
        }
        #expect(throws: TransportError.self) {
            try ProxyRules(.http("p", port: 1).excluding([entry]), environment: [:])
        }
    }

    @Test("The credentials of the proxy's URL are decoded")
    func credentials() throws {
        let server = try rules(["http_proxy": "http://us%40er:p%3Aw:d@h:1"]).server(for: RequestURL("http://x/"))
        #expect(server?.url == "http://h:1")
        #expect(server?.credentials?.username == "us@er")
        #expect(server?.credentials?.password.text == "p:w:d")
    }

    @Test("Other credentials are used if the proxy's URL has none")
    func givenCredentials() throws {
        let proxy = CurlTransport.Proxy.environment.authenticated(username: "given", password: "p")
        let rules = try ProxyRules(proxy, environment: ["http_proxy": "h:1", "https_proxy": "http://own@h:1"])
        #expect(try rules.server(for: RequestURL("http://x/"))?.credentials?.username == "given")
        #expect(try rules.server(for: RequestURL("https://x/"))?.credentials?.username == "own")
    }

    @Test(
        "A variable that isn't a proxy is an error that doesn't show the value",
        arguments: [
            "ftp://s3cret@h:1", "socks4://s3cret@h", "http://s3cret@h:x", "http://s3cret@h:70000", "http://s3cret@",
        ]
    )
    func invalid(value: String) {
        let error = #expect(throws: TransportError.self) { try rules(["https_proxy": value]) }
        #expect(error?.code == .unsupported)
        #expect(error?.message.contains("https_proxy") == true)
        #expect(error?.message.contains("s3cret") == false)
    }
}
