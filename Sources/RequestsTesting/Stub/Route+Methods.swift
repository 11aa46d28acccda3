import Requests

extension StubTransport.Route {
    /// A route for `GET` requests. Default reply: an empty response with status 200.
    public static func get(
        _ template: String,
        _ reply: StubTransport.Reply = .reply(200),
        then later: StubTransport.Reply...,
        thenAlways last: StubTransport.Reply? = nil
    ) -> Self { Self(.get, template, [reply] + later, last) }

    /// A route for `HEAD` requests. Default reply: an empty response with status 200.
    public static func head(
        _ template: String,
        _ reply: StubTransport.Reply = .reply(200),
        then later: StubTransport.Reply...,
        thenAlways last: StubTransport.Reply? = nil
    ) -> Self { Self(.head, template, [reply] + later, last) }

    /// A route for `POST` requests. Default reply: an empty response with status 200.
    public static func post(
        _ template: String,
        _ reply: StubTransport.Reply = .reply(200),
        then later: StubTransport.Reply...,
        thenAlways last: StubTransport.Reply? = nil
    ) -> Self { Self(.post, template, [reply] + later, last) }

    /// A route for `PUT` requests. Default reply: an empty response with status 200.
    public static func put(
        _ template: String,
        _ reply: StubTransport.Reply = .reply(200),
        then later: StubTransport.Reply...,
        thenAlways last: StubTransport.Reply? = nil
    ) -> Self { Self(.put, template, [reply] + later, last) }

    /// A route for `PATCH` requests. Default reply: an empty response with status 200.
    public static func patch(
        _ template: String,
        _ reply: StubTransport.Reply = .reply(200),
        then later: StubTransport.Reply...,
        thenAlways last: StubTransport.Reply? = nil
    ) -> Self { Self(.patch, template, [reply] + later, last) }

    /// A route for `DELETE` requests. Default reply: an empty response with status 200.
    public static func delete(
        _ template: String,
        _ reply: StubTransport.Reply = .reply(200),
        then later: StubTransport.Reply...,
        thenAlways last: StubTransport.Reply? = nil
    ) -> Self { Self(.delete, template, [reply] + later, last) }

    /// A route for all requests of an operation, whatever their method. The name is that of
    /// `PreparedRequest.operation`: the template, such as `/users/{}`, unless the request's options set a name.
    public static func operation(
        _ name: String,
        _ reply: StubTransport.Reply = .reply(200),
        then later: StubTransport.Reply...,
        thenAlways last: StubTransport.Reply? = nil
    ) -> Self { Self(nil, "/**", [reply] + later, last).matching(.operation(name)) }

    /// A route for requests with any method. Default reply: an empty response with status 200.
    public static func any(
        _ template: String,
        _ reply: StubTransport.Reply = .reply(200),
        then later: StubTransport.Reply...,
        thenAlways last: StubTransport.Reply? = nil
    ) -> Self { Self(nil, template, [reply] + later, last) }
}
