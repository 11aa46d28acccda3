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
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let inMemory = Target.Dependency.product(name: "InMemoryLogging", package: "swift-log")

let package = Package(
    name: "RequestsLogging",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [.library(name: "RequestsLogging", targets: ["RequestsLogging"])],
    dependencies: [
        requestsPackage,
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.0"),
    ],
    targets: [
        .target(name: "RequestsLogging", dependencies: [requests, client, logging], swiftSettings: settings),
        .testTarget(
            name: "RequestsLoggingTests",
            dependencies: ["RequestsLogging", requests, client, testing, logging, inMemory],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "logging-example",
            dependencies: [
                "RequestsLogging", requests, client, testing, logging,
                .product(name: "RequestsCurl", package: "Requests"),
            ],
            path: "Example",
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
