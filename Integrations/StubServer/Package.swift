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
let httpTypesPackage: Package.Dependency =
    isInRepository
    ? .package(name: "RequestsHTTPTypes", path: "../HTTPTypes")
    : .package(url: "https://github.com/OWNER/RequestsHTTPTypes.git", .upToNextMinor(from: "0.1.0"))

let requests = Target.Dependency.product(name: "Requests", package: "Requests")
let client = Target.Dependency.product(name: "RequestsClient", package: "Requests")
let curl = Target.Dependency.product(name: "RequestsCurl", package: "Requests")
let testing = Target.Dependency.product(name: "RequestsTesting", package: "Requests")

let package = Package(
    name: "RequestsStubServer",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [.library(name: "RequestsStubServer", targets: ["RequestsStubServer"])],
    dependencies: [
        requestsPackage,
        httpTypesPackage,
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.20.0"),
        .package(url: "https://github.com/apple/swift-certificates.git", from: "1.10.0"),
        .package(url: "https://github.com/apple/swift-asn1.git", from: "1.3.0"),
        .package(url: "https://github.com/apple/swift-crypto.git", "3.12.0"..<"5.0.0"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.90.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.30.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.6.0"),
    ],
    targets: [
        .target(
            name: "RequestsStubServer",
            dependencies: [
                requests, client, curl, testing,
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "HummingbirdHTTP2", package: "hummingbird"),
                .product(name: "HummingbirdTLS", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "RequestsHTTPTypes", package: "RequestsHTTPTypes"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "X509", package: "swift-certificates"),
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "RequestsStubServerTests",
            dependencies: ["RequestsStubServer", requests, client, curl, testing],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "stub-server-example",
            dependencies: ["RequestsStubServer", requests, client, curl, testing],
            path: "Example",
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
