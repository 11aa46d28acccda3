#if canImport(CRequestsCurl)
import Requests
import RequestsClient
import RequestsSystem

/// Delivers the response to the caller: first the head to the sender, at the end of the loop's turn, and then the rest
/// to the body's reader.
extension Transfer {
    enum Delivery {
        case none
        case awaited(Waiter)
        /// The head arrived in this turn. The channel is `nil` unless the body must be delivered separately.
        case arrived(ResponseHead, BodyChannel?, Waiter)
        /// The result is complete, and the sender gets it at the end of this turn.
        case complete(Waiter)
        case reading(BodyChannel)
        case over
    }

    struct ReceivedResponse {
        enum Body {
            case whole(Data, trailers: Header?)
            case channel(BodyChannel)
        }

        let head: ResponseHead
        let body: Body
        let metrics: TransferMetrics.Boxed

        var whole: (body: Data, trailers: Header?)? {
            if case .whole(let data, let trailers) = body { (data, trailers) } else { nil }
        }

        /// - Parameter owner: The engine, retained until the body was read.
        func source(for request: PreparedRequest, owner: CurlEngine) -> any ResponseBodySource {
            switch body {
            case .whole(let data, let trailers):
                DataSource(data, from: request.url, trailers: trailers, metrics: metrics)
            case .channel(let channel): ChannelSource(channel, owner: owner)
            }
        }
    }

    /// Returns the response to the resumed sender.
    func takeResponse() throws -> ReceivedResponse {
        guard let result = result.take() else { throw failed(.malformed, "the server sent no response") }
        return try result.get()
    }

    func deliver(_ head: ResponseHead) {
        guard case .awaited(let sender) = delivery else { return }
        delivery = .arrived(head, nil, sender)
        driver?.resumable.append(self)
    }

    func resumeSender() {
        switch delivery {
        case .complete(let sender):
            delivery = .over
            sender.resume()
        case .arrived(let head, _, let sender):
            guard let channel = openChannel() else { return }
            measureHead()
            let metrics = TransferMetrics.Boxed(metrics)
            channel.metrics = metrics
            result = .success(ReceivedResponse(head: head, body: .channel(channel), metrics: metrics))
            delivery = .reading(channel)
            sender.resume()
        case .none, .awaited, .reading, .over: break
        }
    }

    /// Delivers gathered data to the reader.
    ///
    /// - Returns: Whether the body still has a reader.
    @discardableResult
    func handOver() -> Bool {
        reception.gatheredBefore = 0
        guard reception.gathered.count > 0, let channel = openChannel(), let chunk = reception.gathered.take() else {
            return true
        }
        let demand = channel.push(chunk)
        if demand == .pause, !isEnded { pauseReceiving(true) }
        return demand != .stop
    }

    /// Delivers the outcome. The caller must call ``detach()`` next.
    ///
    /// - Returns: Whether the sender must be resumed at the end of the turn.
    func finish(_ outcome: Result<Header?, any Error>) -> Bool {
        switch (delivery, outcome) {
        case (.awaited(let sender), _):
            if case .failure(let error) = outcome { result = .failure(error) }
            delivery = .complete(sender)
            return true
        case (.arrived(let head, nil, let sender), .success(let trailers)):
            let body = ReceivedResponse.Body.whole(reception.gathered.take() ?? Data(), trailers: trailers)
            result = .success(ReceivedResponse(head: head, body: body, metrics: TransferMetrics.Boxed(metrics)))
            delivery = .complete(sender)
        default:
            handOver()
            let channel = openChannel()
            channel?.metrics = TransferMetrics.Boxed(metrics)
            channel?.finish(outcome)
        }
        return false
    }

    /// The channel to the reader. `nil` if the body has no reader.
    private func openChannel() -> BodyChannel? {
        switch delivery {
        case .arrived(let head, nil, let sender):
            guard let driver else { return nil }
            let channel = BodyChannel(from: request.url, highWater: driver.settings.configuration.highWaterMark)
            channel.attach(self)
            delivery = .arrived(head, channel, sender)
            return channel
        case .arrived(_, let channel, _): return channel
        case .reading(let channel): return channel
        case .none, .awaited, .complete, .over: return nil
        }
    }
}
#endif
