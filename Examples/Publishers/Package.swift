// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

// Apart from the examples, so that what they need does not grow: a module named Combine, so that Linux compiles the
// publishers of the client, whose sources are linked to.
let package = Package(
    name: "Publishers",
    platforms: [.macOS(.v15)],
    dependencies: [.package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0")],
    targets: [
        .target(name: "Combine", dependencies: [.product(name: "OpenCombine", package: "OpenCombine")]),
        .target(name: "Requests", swiftSettings: settings),
        .target(name: "RequestsClient", dependencies: ["Combine", "Requests"], swiftSettings: settings),
        .target(name: "RequestsTesting", dependencies: ["Requests", "RequestsClient"], swiftSettings: settings),
        .testTarget(
            name: "PublisherTests",
            dependencies: ["Combine", "Requests", "RequestsClient", "RequestsTesting"],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
