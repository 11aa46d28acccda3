import Foundation
import Notes
import RequestsTesting
import Synchronization

/// A local server with a few notes in memory.
final class NotesServer: Sendable {
    private let texts = Mutex(["milk", "oat milk", "bread", "milk tea", "no milk", "soy milk"])

    static func start() throws -> LoopbackServer {
        let notes = NotesServer()
        return try LoopbackServer.http { request in
            let answer = try notes.texts.withLock { texts in try NotesServer.answer(to: request, &texts) }
            print("    server: \(request.line.dropLast(9)) → \(answer.statusCode)")
            return answer
        }
    }

    private static func answer(
        to request: LoopbackServer.Request,
        _ texts: inout [String]
    ) throws -> LoopbackServer.Answer {
        guard request.header[.authorization] == "Bearer s3cret" else { return problem(401, "invalid token") }
        if request.path == "/notes" { return try page(of: texts, request) }
        guard let id = Int(request.path.dropFirst("/notes/".count)), texts.indices.contains(id) else {
            return problem(404, "no such note")
        }
        if request.method == .put {
            guard request.header[.ifMatch] == tag(of: texts[id]).rawValue else { return problem(412, "changed") }
            texts[id] = try JSONDecoder().decode(Note.self, from: request.body).text
            return .init(204, header: [Field(name: .eTag, value: tag(of: texts[id]).rawValue)])
        }
        let header: Header = [Field(name: .eTag, value: tag(of: texts[id]).rawValue), .contentType(.json)]
        if request.header[.ifNoneMatch] == tag(of: texts[id]).rawValue { return .init(304, header: header) }
        return .init(200, header: header, body: try JSONEncoder().encode(Note(id: id, text: texts[id])))
    }

    /// Returns a page of two notes, with a link to the next page.
    private static func page(of texts: [String], _ request: LoopbackServer.Request) throws -> LoopbackServer.Answer {
        let items = URLComponents(string: request.target)?.queryItems ?? []
        let word = items.first { $0.name == "q" }?.value ?? ""
        let start = items.first { $0.name == "start" }?.value.flatMap { Int($0) } ?? 0
        let found = texts.enumerated().filter { $0.element.contains(word) }.dropFirst(start)
        var header: Header = [.contentType(.json)]
        if found.count > 2 {
            header.add(Field(name: "Link", value: "</notes?q=\(word)&start=\(start + 2)>; rel=\"next\""))
        }
        let notes = found.prefix(2).map { Note(id: $0.offset, text: $0.element) }
        return .init(200, header: header, body: try JSONEncoder().encode(notes))
    }

    private static func problem(_ status: Int, _ title: String) -> LoopbackServer.Answer {
        .init(status, MediaType(type: "application", subtype: "problem+json"), "{\"title\":\"\(title)\"}")
    }

    /// Returns the version of a note, which is derived from its text.
    private static func tag(of text: String) -> Field.EntityTag {
        Field.EntityTag(value: Data(text.utf8).base64EncodedString())
    }
}
