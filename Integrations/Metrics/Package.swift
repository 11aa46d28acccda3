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
let metrics = Target.Dependency.product(name: "Metrics", package: "swift-metrics")
let metricsTesting = Target.Dependency.product(name: "MetricsTestKit", package: "swift-metrics")

let package = Package(
    name: "RequestsMetrics",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [.library(name: "RequestsMetrics", targets: ["RequestsMetrics"])],
    dependencies: [
        requestsPackage,
        .package(url: "https://github.com/apple/swift-metrics.git", from: "2.13.0"),
    ],
    targets: [
        .target(name: "RequestsMetrics", dependencies: [requests, client, metrics], swiftSettings: settings),
        .testTarget(
            name: "RequestsMetricsTests",
            dependencies: ["RequestsMetrics", requests, client, testing, metrics, metricsTesting],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "metrics-example",
            dependencies: [
                "RequestsMetrics", requests, client, testing, metrics, metricsTesting,
                .product(name: "RequestsCurl", package: "Requests"),
            ],
            path: "Example",
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
