// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Requests", path: "..")],
    targets: [
        .executableTarget(
            name: "load",
            dependencies: [
                .product(name: "Requests", package: "Requests"),
                .product(name: "RequestsCurl", package: "Requests"),
                .product(name: "RequestsURLSession", package: "Requests"),
            ],
            swiftSettings: settings
        )
    ],
    swiftLanguageModes: [.v6]
)
