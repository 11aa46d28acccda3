#if !FullFoundation
extension TransportKind {
    static let ofFoundation: [TransportKind] = []
}
#endif
