#if canImport(Darwin) || canImport(Musl)
internal import CZlibFunctions

extension Zlib {
    /// Apple's systems have zlib, and a static program can't load it.
    static func load() -> Zlib? {
        unsafe Zlib(
            startDeflating: deflateInit2_,
            deflate: CZlibFunctions.deflate,
            endDeflating: deflateEnd,
            startInflating: inflateInit2_,
            inflate: CZlibFunctions.inflate,
            endInflating: inflateEnd
        )
    }
}
#endif
