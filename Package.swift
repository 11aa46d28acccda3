// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "Requests",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "Requests", targets: ["Requests"]),
        .library(name: "RequestsURLSession", targets: ["RequestsURLSession"]),
        .library(name: "RequestsCurl", targets: ["RequestsCurl"]),
        .library(name: "RequestsTesting", targets: ["RequestsTesting"]),
    ],
    targets: [
        .target(name: "Requests", swiftSettings: settings),
        .target(name: "RequestsURLSession", dependencies: ["Requests"], swiftSettings: settings),
        .systemLibrary(
            name: "CRequestsCurl",
            pkgConfig: "libcurl",
            providers: [.apt(["libcurl4-openssl-dev"]), .brew(["curl"])]
        ),
        .target(name: "RequestsCurl", dependencies: ["Requests", "CRequestsCurl"], swiftSettings: settings),
        .target(name: "RequestsTesting", dependencies: ["Requests"], swiftSettings: settings),
        .testTarget(name: "RequestsTests", dependencies: ["Requests", "RequestsTesting"], swiftSettings: settings),
        .testTarget(
            name: "TransportTests",
            dependencies: ["Requests", "RequestsCurl", "RequestsURLSession", "RequestsTesting"],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
