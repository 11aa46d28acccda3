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
let curl = Target.Dependency.product(name: "RequestsCurl", package: "Requests")
let testing = Target.Dependency.product(name: "RequestsTesting", package: "Requests")
let lifecycle = Target.Dependency.product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
let lifecycleTesting = Target.Dependency.product(name: "ServiceLifecycleTestKit", package: "swift-service-lifecycle")

let package = Package(
    name: "RequestsLifecycle",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [.library(name: "RequestsLifecycle", targets: ["RequestsLifecycle"])],
    dependencies: [
        requestsPackage,
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.0.0"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.6.0"),
    ],
    targets: [
        .target(name: "RequestsLifecycle", dependencies: [requests, client, lifecycle], swiftSettings: settings),
        .testTarget(
            name: "RequestsLifecycleTests",
            dependencies: ["RequestsLifecycle", requests, client, testing, lifecycle, lifecycleTesting],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "lifecycle-example",
            dependencies: [
                "RequestsLifecycle", requests, client, curl, testing, lifecycle,
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Example",
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
