// swift-tools-version: 6.2
import Foundation
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

// In the repository of Requests, the packages are used by path. Outside of it, by URL.
let isInRepository = FileManager.default.fileExists(atPath: "\(Context.packageDirectory)/../../Sources/RequestsClient")
let requestsPackage: Package.Dependency =
    isInRepository
    ? .package(name: "Requests", path: "../..")
    : .package(url: "https://github.com/OWNER/Requests.git", .upToNextMinor(from: "0.1.0"))
let httpTypesPackage: Package.Dependency =
    isInRepository
    ? .package(name: "RequestsHTTPTypes", path: "../HTTPTypes")
    : .package(url: "https://github.com/OWNER/RequestsHTTPTypes.git", .upToNextMinor(from: "0.1.0"))

let requests = Target.Dependency.product(name: "Requests", package: "Requests")
let client = Target.Dependency.product(name: "RequestsClient", package: "Requests")
let testing = Target.Dependency.product(name: "RequestsTesting", package: "Requests")
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let openAPI = Target.Dependency.product(name: "OpenAPIRuntime", package: "swift-openapi-runtime")
let conversions = Target.Dependency.product(name: "RequestsHTTPTypes", package: "RequestsHTTPTypes")
let curl = Target.Dependency.product(name: "RequestsCurl", package: "Requests")

let package = Package(
    name: "RequestsOpenAPI",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [.library(name: "RequestsOpenAPI", targets: ["RequestsOpenAPI"])],
    dependencies: [
        requestsPackage,
        httpTypesPackage,
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-openapi-runtime", from: "1.8.0"),
    ],
    targets: [
        .target(
            name: "RequestsOpenAPI",
            dependencies: [requests, client, conversions, httpTypes, openAPI],
            swiftSettings: settings
        ),
        .testTarget(
            name: "RequestsOpenAPITests",
            dependencies: ["RequestsOpenAPI", requests, client, curl, testing, httpTypes, openAPI],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "openapi-example",
            dependencies: ["RequestsOpenAPI", requests, client, curl, testing, httpTypes, openAPI],
            path: "Example",
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
