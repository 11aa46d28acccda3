import Requests

extension CallRunner {
    /// Adds the stored cookies to a request.
    ///
    /// - Parameter own: The request's own `Cookie` field, which wins over a stored cookie of the same name.
    func addCookies(to request: inout PreparedRequest, own: String?) {
        guard let kept = configuration.cookies?.field(for: request.url, at: configuration.date) else {
            request.header[.cookie] = own
            return
        }
        guard let own else { return request.header[.cookie] = kept }
        let names = own.split(separator: ";").map(CallRunner.cookieName)
        let others = kept.split(separator: ";").filter { !names.contains(CallRunner.cookieName($0)) }
        // The subscript keeps the defect of a field that can't be sent.
        request.header[.cookie] = ([own] + others.map { String($0.drop { $0 == " " }) }).joined(separator: "; ")
    }

    /// Replaces the stored cookies of a request whose authentication led it to another origin.
    func moveCookies(of request: inout PreparedRequest, from url: RequestURL, _ field: String?, own: String?) {
        guard configuration.cookies != nil, request.url.origin != url.origin, request.header[.cookie] == field else {
            return
        }
        addCookies(to: &request, own: own)
    }

    func keepCookies(of head: ResponseHead, to request: PreparedRequest) {
        guard let cookies = configuration.cookies, head.header.contains(.setCookie) else { return }
        cookies.store(head.header, from: request.url, at: configuration.date())
    }

    private static func cookieName(_ pair: Substring) -> Substring {
        pair.prefix { $0 != "=" }.drop { $0 == " " }
    }
}
