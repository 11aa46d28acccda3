// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

// Apart from the examples, so that what they need does not grow: a module named Combine, so that Linux compiles the
// publishers of the core, whose sources are linked to.
let package = Package(
    name: "Publishers",
    platforms: [.macOS(.v15)],
    dependencies: [.package(url: "https://github.com/OpenCombine/OpenCombine", from: "0.14.0")],
    targets: [
        .target(name: "Combine", dependencies: [.product(name: "OpenCombine", package: "OpenCombine")]),
        .target(name: "Requests", dependencies: ["Combine"], swiftSettings: settings),
        .target(name: "RequestsTesting", dependencies: ["Requests"], swiftSettings: settings),
        .testTarget(
            name: "PublisherTests",
            dependencies: ["Combine", "Requests", "RequestsTesting"],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
