// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

// Programs that send one request. They don't share a target with code that needs the whole of Foundation.
let package = Package(
    name: "Light",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Requests", path: "../..", traits: [])],
    targets: [
        .executableTarget(
            name: "get",
            dependencies: [
                .product(name: "Requests", package: "Requests"),
                .product(name: "RequestsClient", package: "Requests"),
                .product(name: "RequestsCurl", package: "Requests"),
            ],
            swiftSettings: settings
        ),
        .executableTarget(name: "cget", linkerSettings: [.linkedLibrary("curl")]),
        .executableTarget(name: "session", swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
