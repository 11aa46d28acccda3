#if FullFoundation
import Testing

@testable import RequestsURLSession

@Suite("The progress of a session's task", .timeLimit(.minutes(5)))
struct LoadStateTests {
    @Test("What waits for the end of a suspension is resumed by a start, and by the end", arguments: [true, false])
    func suspended(isEnded: Bool) async {
        await Waiter.wait { waiter in
            var state = LoadState()
            let (start, suspension) = (state.start(), state.stop(.suspended))
            #expect(start.isFirst && suspension.1 == nil)
            let waits = state.wait(waiter)
            #expect(waits)
            let resumed = isEnded ? state.stop(.ended).1 : state.start().waiter
            #expect(resumed != nil)
            (resumed ?? waiter).resume()
        }
    }

    @Test("Nothing waits unless the task is suspended")
    func running() async {
        await Waiter.wait { waiter in
            var state = LoadState()
            var waits = [state.wait(waiter)]
            _ = state.start()
            waits.append(state.wait(waiter))
            _ = state.stop(.ended)
            waits.append(state.wait(waiter))
            #expect(waits == [false, false, false])
            waiter.resume()
        }
    }
}
#endif
