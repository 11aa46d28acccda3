// Makes requests at the top level of an async program, with branches in their arguments. The optimizer of Swift 6.3.1
// removed such calls if the API was passed as a borrowed value.
import Foundation
import RequestsTesting

struct Account: Codable { var id = 1 }

/// True, but the optimizer doesn't know.
let yes = CommandLine.arguments.count < 100
let name = yes ? "ada/l" : ""
let api = BaseURL("https://api.example.com")
let client = Client(
    transport: StubTransport { request in
        try .stub(200, jsonText: #""\#(request.method) \#(request.url.path)""#, for: request)
    }
)
var failures = 0

@MainActor func expect(_ actual: String, _ expected: String) {
    guard actual != expected else { return }
    print("expected \(expected), got \(actual)")
    failures += 1
}

await Task.yield()

let got = api.get(.text, from: "/got/\(name)")
expect("\(got)", "GET https://api.example.com/got/ada%2Fl")
let asked = api.get(json: String.self, from: yes ? "/asked/\(yes ? 1 : 2)" : "/")
expect("\(asked)", "GET https://api.example.com/asked/1")
let posted = api.post(yes ? .text("a") : .none, to: "/posted/\(name)")
expect("\(posted)", "POST https://api.example.com/posted/ada%2Fl")
let postedJSON = api.post(json: Account(), to: "/posted/\(Int(name).map { "\($0)" } ?? name)")
expect("\(postedJSON)", "POST https://api.example.com/posted/ada%2Fl")
let put = api.put(.none, to: "/put/\(name)")
expect("\(put)", "PUT https://api.example.com/put/ada%2Fl")
let putJSON = api.put(json: Account(id: yes ? 1 : 2), to: "/put/\(name)")
expect("\(putJSON)", "PUT https://api.example.com/put/ada%2Fl")
let patched = api.patch("/patched/\(name)", with: yes ? .text("a") : .none)
expect("\(patched)", "PATCH https://api.example.com/patched/ada%2Fl")
let patchedJSON = api.patch(json: Account(), to: "/patched/\(name)")
expect("\(patchedJSON)", "PATCH https://api.example.com/patched/ada%2Fl")
let deleted = api.delete("/deleted/\(name)")
expect("\(deleted)", "DELETE https://api.example.com/deleted/ada%2Fl")
let head = api.head("/head/\(yes ? "a" : "b")")
expect("\(head)", "HEAD https://api.example.com/head/a")
let made = api.request(to: yes ? "/made/\(name.count)" : "/", using: yes ? .options : .get)
expect("\(made)", "OPTIONS https://api.example.com/made/5")
let changed = api.get(.text, from: "/\(name)").with(query: yes ? ["a": 1] : [:]).using(method: yes ? .put : .get)
expect("\(changed)", "PUT https://api.example.com/ada%2Fl?a=1")
expect(try await client.send(api.get(json: String.self, from: "/sent/\(name)")), "GET /sent/ada%2Fl")
expect(try await client.send(asked), "GET /asked/1")

print(failures == 0 ? "requests made at the top level are complete" : "\(failures) requests are incomplete")
exit(failures == 0 ? 0 : 1)
