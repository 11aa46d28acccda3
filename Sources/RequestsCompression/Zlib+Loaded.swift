#if !canImport(Darwin) && !canImport(Musl)
import RequestsSystem

extension Zlib {
    /// Loads the library, so that programs are built without its headers.
    static func load() -> Zlib? {
        try? unsafe Zlib(
            startDeflating: ProcessSymbols.find("deflateInit2_", in: library),
            deflate: ProcessSymbols.find("deflate", in: library),
            endDeflating: ProcessSymbols.find("deflateEnd", in: library),
            startInflating: ProcessSymbols.find("inflateInit2_", in: library),
            inflate: ProcessSymbols.find("inflate", in: library),
            endInflating: ProcessSymbols.find("inflateEnd", in: library)
        )
    }

    private static let library = ProcessSymbols.Library("libz.so.1")
}
#endif
