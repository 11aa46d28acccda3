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
let tracing = Target.Dependency.product(name: "Tracing", package: "swift-distributed-tracing")
let inMemory = Target.Dependency.product(name: "InMemoryTracing", package: "swift-distributed-tracing")

let package = Package(
    name: "RequestsTracing",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [.library(name: "RequestsTracing", targets: ["RequestsTracing"])],
    dependencies: [
        requestsPackage,
        .package(url: "https://github.com/apple/swift-distributed-tracing.git", from: "1.7.0"),
    ],
    targets: [
        .target(name: "RequestsTracing", dependencies: [requests, client, tracing], swiftSettings: settings),
        .testTarget(
            name: "RequestsTracingTests",
            dependencies: ["RequestsTracing", requests, client, testing, tracing, inMemory],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "tracing-example",
            dependencies: [
                "RequestsTracing", requests, client, testing, tracing, inMemory,
                .product(name: "RequestsCurl", package: "Requests"),
            ],
            path: "Example",
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
