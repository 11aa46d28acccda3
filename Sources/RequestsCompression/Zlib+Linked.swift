#if canImport(Darwin) || canImport(Musl)
internal import CZlibFunctions

extension Zlib {
    /// Apple's systems have zlib, and a static program can't load it.
    static func load() -> Zlib? {
        unsafe Zlib(
            startDeflating: deflateInit2_,
            deflate: { unsafe CZlibFunctions.deflate($0, $1) },
            endDeflating: deflateEnd,
            startInflating: inflateInit2_,
            inflate: { unsafe CZlibFunctions.inflate($0, $1) },
            endInflating: inflateEnd
        )
    }
}
#endif
