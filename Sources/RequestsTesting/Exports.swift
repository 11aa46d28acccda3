// One import is enough for a program that sends requests.
@_exported public import RequestsClient
