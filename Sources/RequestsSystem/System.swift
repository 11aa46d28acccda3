// The modules that depend on this one get the system's library from it, under one name on all platforms.
#if canImport(Darwin)
@_exported import Darwin
#elseif canImport(Musl)
@_exported import Musl
#else
@_exported import Glibc
#endif

#if canImport(FoundationEssentials)
@_exported public import FoundationEssentials
#else
@_exported public import Foundation
#endif

/// A thread for blocking calls, such as reading a socket.
package enum BlockingThread {}
