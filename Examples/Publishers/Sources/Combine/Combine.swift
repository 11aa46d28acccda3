// Re-exports OpenCombine under the name of Combine, whose API it has.
@_exported import OpenCombine
