import Requests

/// What the head of a response says.
///
/// Specification: RFC 9112 §4, §5.
struct ParsedHead {
    let version: HTTPVersion
    let statusCode: Int
    private(set) var fields: [Field] = []

    /// Whether another head follows: switching protocols is final (RFC 9110 §15.2).
    var isInformational: Bool { (100..<200).contains(statusCode) && statusCode != 101 }

    /// Reads a head, up to and with its empty line.
    init(_ bytes: UnsafeRawBufferPointer) throws(HeadFault) {
        var lines = HeadLines(bytes)
        guard let first = lines.next(), let (version, statusCode) = first.status else {
            throw .malformed("the status line \(Redaction.quoted(HeadLines.firstText(of: bytes))) is not one of HTTP")
        }
        (self.version, self.statusCode) = (version, statusCode)
        fields.reserveCapacity(16)
        while let line = lines.next() {
            if line.isEmpty { break }
            try ParsedHead.read(line, into: &fields)
            guard fields.count <= Header.maximumFields else { throw .tooLarge }
        }
        if let fault = Header(fields).lengthFault { throw .malformed(fault) }
    }

    /// Reads the line of a field.
    static func read(_ line: HeadLine, into list: inout [Field]) throws(HeadFault) {
        if line.isFolded { return try unfold(line, into: &list) }
        guard let (name, value) = line.split else { throw .malformed("a line of the response's head has no colon") }
        guard name.isToken else {
            throw .malformed("the response's field name \(Redaction.quoted(name.text)) is not a token")
        }
        guard value.isFieldValue else {
            throw .malformed("the value of the response's field \(name.text) contains a line break or NUL")
        }
        list.append(Field(name: Field.Name(name.text), trimmedValue: value.text))
    }

    /// A line that starts with white space goes on with the value before it (RFC 9112 §5.2).
    private static func unfold(_ line: HeadLine, into list: inout [Field]) throws(HeadFault) {
        guard let last = list.popLast() else { throw .malformed("the response's head starts with a folded line") }
        guard line.isFieldValue else {
            throw .malformed("the value of the response's field \(last.name) contains a line break or NUL")
        }
        list.append(Field(name: last.name, value: "\(last.value) \(line.trimmed.text)"))
    }
}

/// What is wrong with a head.
enum HeadFault: Error {
    case malformed(String)
    case tooLarge
}
