// The names of Combine, from OpenCombine.
@_exported import OpenCombine
