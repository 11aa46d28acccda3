import Logging
import RequestsClient

extension LogDestination.Event {
    var message: Logger.Message {
        switch kind {
        case .started: "HTTP call started"
        case .attempt: "HTTP attempt started"
        case .retrying: "HTTP request will be sent again"
        case .message(let text): "\(escaped(text))"
        case .succeeded: "HTTP call succeeded"
        case .failed: "HTTP call failed"
        case .canceled: "HTTP call canceled"
        }
    }

    /// The metadata of the event. Every event has the call's number and its request.
    var metadata: Logger.Metadata {
        var metadata: Logger.Metadata = ["http.call": "\(call)", "http.request": "\(request)"]
        if let method { metadata["http.request.method"] = "\(method)" }
        if let origin { metadata["server.address"] = "\(origin.host.filter { $0 != "[" && $0 != "]" })" }
        if let operation { metadata["url.template"] = "\(operation)" }
        return metadata.merging(details) { _, detail in detail }
    }

    private var details: Logger.Metadata {
        switch kind {
        case .started(let header, let body):
            return metadata(of: header).merging(["http.request.body": "\(body)"]) { $1 }
        case .attempt(let url, let status, let header):
            let previous: Logger.Metadata = status.map { ["http.previous.status_code": "\($0)"] } ?? [:]
            return metadata(of: header).merging(previous) { $1 }.merging(["url.full": "\(url)"]) { $1 }
        case .retrying(let delay, let reason): return ["delay": "\(delay)", "reason": "\(reason)"]
        case .message: return [:]
        case .succeeded(let status, let bytes, let duration, let metrics):
            var details: Logger.Metadata = ["http.response.status_code": "\(status)", "duration": "\(duration)"]
            if let bytes { details["http.response.body.size"] = "\(bytes)" }
            if let metrics { details["http.metrics"] = "\(metrics)" }
            return details
        case .failed(let code, let status, let reason, let duration):
            var details: Logger.Metadata = ["error.type": "\(code)", "reason": "\(reason)", "duration": "\(duration)"]
            if let status {
                details["http.response.status_code"] = "\(status)"
                if code == ResponseError.Code.status.rawValue { details["error.type"] = "\(status)" }
            }
            return details
        case .canceled(let duration): return ["duration": "\(duration)"]
        }
    }

    private func metadata(of header: Header) -> Logger.Metadata {
        let fields = header.dictionaryValue.mapValues { Logger.MetadataValue.string(escaped($0)) }
        return fields.isEmpty ? [:] : ["http.request.header": .dictionary(fields)]
    }

    /// Returns a text with control characters escaped, so that it can't start a new line in a log.
    private func escaped(_ text: String) -> String {
        text.unicodeScalars
            .map { $0.properties.generalCategory == .control ? $0.escaped(asASCII: true) : String($0) }
            .joined()
    }
}
