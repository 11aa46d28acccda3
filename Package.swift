// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]
let librarySettings = settings + [.strictMemorySafety()]

// On Linux, the compiler finds installed headers by itself, and SwiftPM would warn about flags of Debian's libcurl that
// it doesn't support. With a libcurl elsewhere, set PKG_CONFIG_PATH.
#if os(Linux)
let usesPkgConfig = Context.environment["PKG_CONFIG_PATH"] != nil
#else
let usesPkgConfig = true
#endif

// Apple platforms demand a privacy manifest for the system calls. On Linux, a resource would make SwiftPM link the
// whole of Foundation.
let privacyManifest = "PrivacyInfo.xcprivacy"
#if !os(Linux)
let (excluded, resources): ([String], [Resource]) = ([], [.copy(privacyManifest)])
#else
let (excluded, resources): ([String], [Resource]) = ([privacyManifest], [])
#endif

let package = Package(
    name: "Requests",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "Requests", targets: ["Requests"]),
        .library(name: "RequestsClient", targets: ["RequestsClient"]),
        .library(name: "RequestsURLSession", targets: ["RequestsURLSession"]),
        .library(name: "RequestsCurl", targets: ["RequestsCurl"]),
        .library(name: "RequestsCache", targets: ["RequestsCache"]),
        .library(name: "RequestsSchemes", targets: ["RequestsSchemes"]),
        .library(name: "RequestsCompression", targets: ["RequestsCompression"]),
        .library(name: "RequestsUploads", targets: ["RequestsUploads"]),
        .library(name: "RequestsTesting", targets: ["RequestsTesting"]),
        .library(name: "RequestsContracts", targets: ["RequestsContracts"]),
        // Apart from RequestsTesting, so that only its users need the toolchain's Testing module.
        .library(name: "RequestsSwiftTesting", targets: ["RequestsSwiftTesting"]),
        .library(name: "RequestsConformance", targets: ["RequestsConformance"]),
    ],
    traits: [
        .default(enabledTraits: ["FullFoundation"]),
        .trait(
            name: "FullFoundation",
            description: "The API for URLRequest, URLSession and InputStream. Needs the whole of Foundation."
        ),
    ],
    targets: [
        .target(name: "Requests", swiftSettings: librarySettings),
        .target(
            name: "RequestsSystem",
            exclude: excluded,
            resources: resources,
            swiftSettings: librarySettings
        ),
        .target(
            name: "RequestsClient",
            dependencies: ["Requests", "RequestsSystem"],
            swiftSettings: librarySettings
        ),
        .target(
            name: "RequestsCache",
            dependencies: ["Requests", "RequestsClient", "RequestsSystem"],
            swiftSettings: librarySettings
        ),
        .target(
            name: "RequestsSchemes",
            dependencies: ["Requests", "RequestsSystem"],
            swiftSettings: librarySettings
        ),
        .systemLibrary(name: "CZlib"),
        .target(
            name: "RequestsCompression",
            dependencies: ["Requests", "RequestsClient", "RequestsSystem", "CZlib"],
            swiftSettings: librarySettings
        ),
        .target(
            name: "RequestsUploads",
            dependencies: ["Requests", "RequestsClient", "RequestsSchemes", "RequestsSystem"],
            swiftSettings: librarySettings
        ),
        .target(
            name: "RequestsURLSession",
            dependencies: ["Requests", "RequestsClient"],
            swiftSettings: librarySettings
        ),
        .systemLibrary(
            name: "CRequestsCurl",
            pkgConfig: usesPkgConfig ? "libcurl" : nil,
            providers: [.apt(["libcurl4-openssl-dev"]), .brew(["curl"])]
        ),
        .target(
            name: "RequestsCurl",
            dependencies: [
                "Requests", "RequestsClient", "RequestsSystem", "RequestsCompression",
                // Apple's other platforms have no libcurl, so `CurlTransport` is unavailable there.
                .target(name: "CRequestsCurl", condition: .when(platforms: [.macOS, .linux, .android])),
            ],
            swiftSettings: librarySettings
        ),
        .target(name: "RequestsContracts", dependencies: ["Requests"], swiftSettings: librarySettings),
        .target(
            name: "RequestsTesting",
            dependencies: ["Requests", "RequestsClient", "RequestsSystem", "RequestsCompression"],
            swiftSettings: librarySettings
        ),
        .target(
            name: "RequestsSwiftTesting",
            dependencies: ["Requests", "RequestsClient", "RequestsTesting"],
            swiftSettings: librarySettings
        ),
        .target(
            name: "RequestsConformance",
            dependencies: ["Requests", "RequestsClient", "RequestsSystem", "RequestsTesting"],
            path: "Tests/RequestsConformance",
            swiftSettings: librarySettings
        ),
        .target(
            name: "RequestsTestSupport",
            dependencies: ["Requests", "RequestsClient"],
            path: "Tests/RequestsTestSupport",
            swiftSettings: librarySettings
        ),
        // The folders of both are topics. The tests of the second one need sockets, servers or a library that sends.
        .testTarget(
            name: "RequestsTests",
            dependencies: [
                "Requests", "RequestsClient", "RequestsCache", "RequestsSchemes", "RequestsCompression",
                "RequestsUploads", "RequestsContracts", "RequestsCurl", "RequestsTesting", "RequestsSwiftTesting",
                "RequestsConformance", "RequestsSystem", "RequestsTestSupport",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "TransportTests",
            dependencies: [
                "Requests", "RequestsClient", "RequestsCache", "RequestsUploads", "RequestsCurl",
                "RequestsURLSession", "RequestsTesting", "RequestsConformance", "RequestsSystem",
                "RequestsTestSupport",
            ],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
