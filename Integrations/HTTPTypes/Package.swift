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
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")

let package = Package(
    name: "RequestsHTTPTypes",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [.library(name: "RequestsHTTPTypes", targets: ["RequestsHTTPTypes"])],
    dependencies: [
        requestsPackage,
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
    ],
    targets: [
        .target(name: "RequestsHTTPTypes", dependencies: [requests, client, httpTypes], swiftSettings: settings),
        .testTarget(
            name: "RequestsHTTPTypesTests",
            dependencies: ["RequestsHTTPTypes", requests, client, testing, httpTypes],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "http-types-example",
            dependencies: [
                "RequestsHTTPTypes", requests, client, testing, httpTypes,
                .product(name: "RequestsCurl", package: "Requests"),
            ],
            path: "Example",
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
