/// A closure that is compared by identity, so that what holds one can be compared.
final class Identified<Closure: Sendable>: Hashable, Sendable {
    let call: Closure

    init(_ call: Closure) {
        self.call = call
    }

    static func == (lhs: Identified, rhs: Identified) -> Bool { lhs === rhs }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
