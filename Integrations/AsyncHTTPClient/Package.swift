// swift-tools-version: 6.2
import Foundation
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

// In the repository of Requests, the packages are used by path. Outside of it, by URL.
let isInRepository = FileManager.default.fileExists(atPath: "\(Context.packageDirectory)/../../Sources/RequestsClient")
let requestsPackage: Package.Dependency =
    isInRepository
    ? .package(name: "Requests", path: "../..")
    : .package(url: "https://github.com/OWNER/Requests.git", .upToNextMinor(from: "0.1.0"))

let requests = Target.Dependency.product(name: "Requests", package: "Requests")
let client = Target.Dependency.product(name: "RequestsClient", package: "Requests")
let testing = Target.Dependency.product(name: "RequestsTesting", package: "Requests")
let conformance = Target.Dependency.product(name: "RequestsConformance", package: "Requests")
let asyncHTTPClient = Target.Dependency.product(name: "AsyncHTTPClient", package: "async-http-client")
let ssl = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")

let package = Package(
    name: "RequestsAsyncHTTPClient",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [.library(name: "RequestsAsyncHTTPClient", targets: ["RequestsAsyncHTTPClient"])],
    dependencies: [
        requestsPackage,
        .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.30.0"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.90.0"),
        .package(url: "https://github.com/apple/swift-nio-extras.git", from: "1.30.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.30.0"),
    ],
    targets: [
        .target(
            name: "RequestsAsyncHTTPClient",
            dependencies: [
                requests, client, asyncHTTPClient, ssl,
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPCompression", package: "swift-nio-extras"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "RequestsAsyncHTTPClientTests",
            dependencies: ["RequestsAsyncHTTPClient", asyncHTTPClient, ssl, requests, client, testing, conformance],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ResumableUploadTests",
            dependencies: [
                requests, client,
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOResumableUpload", package: "swift-nio-extras"),
                .product(name: "RequestsCurl", package: "Requests"),
                .product(name: "RequestsUploads", package: "Requests"),
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "async-http-client-example",
            dependencies: ["RequestsAsyncHTTPClient", asyncHTTPClient, requests, client, testing],
            path: "Example",
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
