// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

// Apart from the benchmarks, so that nothing has to be fetched.
let package = Package(
    name: "Plain",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Requests", path: "../..")],
    targets: [
        .target(name: "CUsage"),
        .target(name: "Usage", dependencies: ["CUsage"], swiftSettings: settings),
        .target(name: "CAllocations"),
        .executableTarget(
            name: "building",
            dependencies: ["CAllocations", .product(name: "Requests", package: "Requests")],
            swiftSettings: settings
        ),
        .target(name: "CEntries"),
        .executableTarget(
            name: "trace-call",
            dependencies: [
                "CEntries",
                .product(name: "Requests", package: "Requests"),
                .product(name: "RequestsClient", package: "Requests"),
            ],
            swiftSettings: settings
        ),
        .target(name: "CConnections"),
        .executableTarget(
            name: "idle",
            dependencies: [
                "CConnections",
                "CUsage",
                "Usage",
                .product(name: "Requests", package: "Requests"),
                .product(name: "RequestsClient", package: "Requests"),
                .product(name: "RequestsCurl", package: "Requests"),
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "load",
            dependencies: [
                "Usage",
                .product(name: "Requests", package: "Requests"),
                .product(name: "RequestsClient", package: "Requests"),
                .product(name: "RequestsCurl", package: "Requests"),
                .product(name: "RequestsURLSession", package: "Requests"),
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "policies",
            dependencies: [
                .product(name: "Requests", package: "Requests"),
                .product(name: "RequestsCache", package: "Requests"),
                .product(name: "RequestsClient", package: "Requests"),
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "upload",
            dependencies: [
                "Usage",
                .product(name: "Requests", package: "Requests"),
                .product(name: "RequestsClient", package: "Requests"),
                .product(name: "RequestsCurl", package: "Requests"),
                .product(name: "RequestsTesting", package: "Requests"),
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "soak",
            dependencies: [
                "Usage",
                .product(name: "Requests", package: "Requests"),
                .product(name: "RequestsClient", package: "Requests"),
                .product(name: "RequestsCurl", package: "Requests"),
                .product(name: "RequestsTesting", package: "Requests"),
            ],
            swiftSettings: settings
        ),
        // Replaces C functions of the programs that link it.
        .target(name: "CFaults"),
        .executableTarget(
            name: "torture",
            dependencies: [
                "CFaults",
                .product(name: "Requests", package: "Requests"),
                .product(name: "RequestsClient", package: "Requests"),
                .product(name: "RequestsCurl", package: "Requests"),
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "toplevel",
            dependencies: [
                .product(name: "Requests", package: "Requests"),
                .product(name: "RequestsClient", package: "Requests"),
                .product(name: "RequestsTesting", package: "Requests"),
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)
