extension Header {
    /// Adds the cookies of a store to `Cookie`, except for those whose names the field contains.
    ///
    /// - Returns: The added cookies, for ``removeCookies(_:)``.
    package mutating func addCookies(_ stored: String) -> Set<Substring> {
        guard let own = self[.cookie] else {
            self[.cookie] = stored
            return Set(Header.cookies(in: stored))
        }
        func name(_ cookie: Substring) -> Substring { cookie.prefix { $0 != "=" } }
        let names = Set(Header.cookies(in: own).map(name))
        let added = Header.cookies(in: stored).filter { !names.contains(name($0)) }
        // The subscript keeps the defect of a field that can't be sent.
        self[.cookie] = ([own[...]] + added).joined(separator: "; ")
        return Set(added)
    }

    /// Removes cookies from `Cookie`. The others stay as they are.
    package mutating func removeCookies(_ removed: Set<Substring>) {
        guard let field = self[.cookie] else { return }
        let cookies = Header.cookies(in: field)
        let kept = cookies.filter { !removed.contains($0) }
        guard kept.count < cookies.count else { return }
        self[.cookie] = kept.isEmpty ? nil : kept.joined(separator: "; ")
    }

    /// The cookies of a `Cookie` field, as `name=value`.
    package static func cookies(in field: String) -> [Substring] {
        field.split(separator: ";").map { $0.drop { $0 == " " } }
    }
}
