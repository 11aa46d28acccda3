// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

// A separate package, so that the other examples don't depend on OpenCombine. It has a module named Combine, so that
// Linux compiles the client's publishers from symlinked sources.
let package = Package(
    name: "Publishers",
    platforms: [.macOS(.v15)],
    dependencies: [.package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0")],
    targets: [
        .target(name: "Combine", dependencies: [.product(name: "OpenCombine", package: "OpenCombine")]),
        .target(name: "Requests", swiftSettings: settings),
        .target(name: "RequestsSystem", swiftSettings: settings),
        .target(
            name: "RequestsClient",
            dependencies: ["Combine", "Requests", "RequestsSystem"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "PublisherTests",
            dependencies: ["Combine", "Requests", "RequestsClient"],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
