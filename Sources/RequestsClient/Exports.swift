// One import is enough: the module of a transport, or of the test kit, brings the client, which brings the requests.
@_exported public import Requests
