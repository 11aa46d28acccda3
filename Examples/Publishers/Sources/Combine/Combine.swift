// The API of Combine, from OpenCombine.
@_exported import OpenCombine
