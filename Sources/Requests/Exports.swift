#if canImport(FoundationEssentials)
// Every file of the package gets Foundation from here, so a file can't forget it on one platform. The smaller module is
// used if it exists, because programs on Linux then don't load ICU and URLSession.
@_exported public import FoundationEssentials
#else
@_exported public import Foundation
#endif
