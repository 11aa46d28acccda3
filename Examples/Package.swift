// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let requests = Target.Dependency.product(name: "Requests", package: "Requests")
let client = Target.Dependency.product(name: "RequestsClient", package: "Requests")
let curl = Target.Dependency.product(name: "RequestsCurl", package: "Requests")
let urlSession = Target.Dependency.product(name: "RequestsURLSession", package: "Requests")
let schemes = Target.Dependency.product(name: "RequestsSchemes", package: "Requests")
let compression = Target.Dependency.product(name: "RequestsCompression", package: "Requests")
let testing = Target.Dependency.product(name: "RequestsTesting", package: "Requests")

let package = Package(
    name: "Examples",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Requests", path: "..")],
    targets: [
        .executableTarget(
            name: "tour",
            dependencies: [requests, client, curl, urlSession, testing],
            swiftSettings: settings
        ),
        .target(name: "Notes", dependencies: [requests, client], swiftSettings: settings),
        .testTarget(name: "NotesTests", dependencies: ["Notes", requests, client, testing], swiftSettings: settings),
        .testTarget(name: "MockingTests", dependencies: [requests, client, testing], swiftSettings: settings),
        .target(name: "ServerNames", path: "Tests/ServerNames", swiftSettings: settings),
        .testTarget(
            name: "CookbookTests",
            dependencies: ["ServerNames", requests, client, curl, urlSession, schemes, compression, testing],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "api-client",
            dependencies: ["Notes", requests, client, curl, testing],
            swiftSettings: settings
        ),
        .executableTarget(name: "download", dependencies: [requests, client, curl, testing], swiftSettings: settings),
        .executableTarget(name: "events", dependencies: [requests, client, curl, testing], swiftSettings: settings),
        .executableTarget(
            name: "language-model",
            dependencies: [requests, client, curl, testing],
            swiftSettings: settings
        ),
        .testTarget(
            name: "LanguageModelTests",
            dependencies: ["language-model", requests, client, curl, testing],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "mcp-client",
            dependencies: [requests, client, curl, testing],
            swiftSettings: settings
        ),
        .testTarget(
            name: "MCPClientTests",
            dependencies: ["mcp-client", requests, client, curl, testing],
            swiftSettings: settings
        ),
        // In Swift 5 mode, like many libraries.
        .target(name: "Forecasts", swiftSettings: [.swiftLanguageMode(.v5)]),
        .executableTarget(
            name: "port-a-library",
            dependencies: ["Forecasts", requests, client, curl, testing],
            swiftSettings: settings
        ),
        .testTarget(
            name: "PortTests",
            dependencies: ["port-a-library", "Forecasts", requests, client, testing],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "delegate-events",
            dependencies: [requests, client, curl, urlSession, testing],
            swiftSettings: settings
        ),
        .executableTarget(name: "upload", dependencies: [requests, client, curl, testing], swiftSettings: settings),
        .executableTarget(
            name: "blocking-transport",
            dependencies: [requests, client, testing],
            swiftSettings: settings
        ),
        .executableTarget(name: "pinned", dependencies: [requests, client, curl], swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
