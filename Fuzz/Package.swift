// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    // libFuzzer has the main function.
    .unsafeFlags(["-parse-as-library"]),
]

let package = Package(
    name: "Fuzz",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Requests", path: "..")],
    targets: [
        .executableTarget(
            name: "fuzz",
            dependencies: [
                .product(name: "Requests", package: "Requests"),
                .product(name: "RequestsClient", package: "Requests"),
                .product(name: "RequestsCache", package: "Requests"),
                .product(name: "RequestsCompression", package: "Requests"),
                .product(name: "RequestsCurl", package: "Requests"),
                .product(name: "RequestsTesting", package: "Requests"),
                .product(name: "RequestsConformance", package: "Requests"),
                .product(name: "RequestsSchemes", package: "Requests"),
            ],
            swiftSettings: settings
        )
    ],
    swiftLanguageModes: [.v6]
)
